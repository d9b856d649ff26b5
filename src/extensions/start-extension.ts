// Starts an extension and shakes hands with it. It may ask the host from its first line on; what it registers counts until it has
// answered.

import { safeParse } from 'valibot'
import { registrations as registrationMethods } from '../protocol/extension/offers.ts'
import { codes, createPeer, RpcFailure } from '../protocol/extension/peer.ts'
import {
  type ExtensionRequest,
  isRegistration,
  methods,
  type Params,
  protocolVersion,
  type Registration,
} from '../protocol/extension/table.ts'
import { type LongRunningChild, startLongRunningChild } from '../std/child-process.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import {
  cannotStart,
  checkRuntime,
  type Environment,
  extensionEnvironment,
  runtimeCommand,
} from './launch.ts'
import type { HostSide, LiveExtension, Registrations } from './live-extension.ts'
import type { Manifest } from './manifest.ts'
import { manifestName } from './manifest.ts'
import { type Approve, findRefusal } from './permissions.ts'
import { limitServing, parseMethodParams, serveNotice, serveRequest } from './serve.ts'
import { createPinger } from './supervisor.ts'
import { lastLines, openTransport, stopChild } from './transport.ts'

export interface StartOptions {
  /** The project. */
  cwd: string
  /** The directory for what the extension wants to keep. */
  configDir: string
  session: string | undefined
  env: Environment
  /** Variables that the user let it have. */
  granted?: string[]
  approve: Approve
  log(level: 'debug' | 'warn', message: string): void
  /** Sees every line of the protocol, both ways. */
  tap?(direction: 'in' | 'out', line: string): void
  /** An answer did not come in time. */
  onLate?(): void
  handshakeMs?: number
}

export async function startExtension(
  manifest: Manifest,
  side: HostSide,
  options: StartOptions,
): Promise<LiveExtension> {
  checkRuntime(manifest)
  const { name } = manifest
  const child = startChild(manifest, options)
  const printed = lastLines()
  const deltas = deltaListeners()
  const registrations = noRegistrations()
  const ended = new AbortController()
  const serving = { manifest, side, approve: options.approve, live: () => live }
  let isShaken = false
  let isStopping = false

  const transport = openTransport(child, manifest, {
    onLine(line) {
      options.tap?.('in', line)
      peer.receive(line)
    },
    onTooLong(head) {
      options.log('warn', `${name} sent a line of more than 4 MiB`)
      peer.refuse(head)
    },
    onPrinted(line) {
      printed.add(line)
      options.log('debug', line)
    },
    // Whoever says nothing more is of no use; the exit tells what happened.
    onEnd: () => void stopChild(child, transport),
  })
  const hear = (method: string, params: unknown) => {
    if (method === 'provider/delta') return deltas.hear(params)
    if (!isRegistration(method)) return serveNotice(serving, method, params, ended.signal)
    // Nothing but `initialize` is asked before it is answered.
    if (isShaken || peer.waiting() === 0) return `${method} ignored: it came after the answer to initialize`
    return register(registrations, manifest, method, params)
  }
  const peer = createPeer({
    send(line) {
      options.tap?.('out', line)
      return transport.send(line)
    },
    serve: limitServing(transport, (method, params, signal) => serveRequest(serving, method, params, signal)),
    hear(method, params) {
      const problem = hear(method, params)
      if (problem !== undefined) options.log('warn', `${name}: ${problem}`)
    },
    reject: (line) => options.log('debug', `${name} sent a line that is no message: ${line.slice(0, 200)}`),
  })

  let startError: string | undefined
  const exited = child.exited.then((exit) => {
    startError = exit.startError
    const how = exit.startError ?? (exit.signal ? `killed by ${exit.signal}` : `exit code ${exit.code}`)
    peer.close(
      new RpcFailure(
        codes.failed,
        isStopping ? `extension ${name} closed` : `extension ${name} crashed (${how})`,
      ),
    )
    ended.abort(new RpcFailure(codes.failed, `extension ${name} is gone`))
    return { reason: how, lastLines: printed.all() }
  })

  const request = async <M extends ExtensionRequest>(
    method: M,
    params: unknown,
    call: { signal?: AbortSignal; deadlineMs?: number } = {},
  ) => {
    const { result, deadlineMs } = methods[method]
    const late = call.deadlineMs ?? deadlineMs
    const answer = await peer.request(method, params, {
      signal: call.signal,
      deadlineMs: late,
      onLate: options.onLate,
    })
    const parsed = safeParse(result, answer)
    if (parsed.success) return parsed.output as never
    throw new RpcFailure(
      codes.failed,
      `${name} answered ${method} with something else: ${parsed.issues[0].message}`,
    )
  }
  const stop = async () => {
    isStopping = true
    if (child.pid !== undefined)
      await Promise.race([
        peer.tell('shutdown', undefined),
        new Promise((resolve) => setTimeout(resolve, 100)),
      ])
    await stopChild(child, transport)
    await exited
  }

  const live: LiveExtension = {
    manifest,
    pid: child.pid,
    registrations,
    request,
    tell: (method, params) => void peer.tell(method, params),
    onDelta: deltas.on,
    nextId: peer.nextId,
    ping: createPinger(peer),
    exited,
    isRunning: () => !ended.signal.aborted,
    load: () => ({ waiting: peer.waiting(), serving: peer.serving(), outboxBytes: transport.waitingBytes() }),
    stop,
  }
  try {
    const params = { protocolVersion, cwd: options.cwd, configDir: options.configDir }
    await request(
      'initialize',
      params,
      options.handshakeMs === undefined ? {} : { deadlineMs: options.handshakeMs },
    )
  } catch (error) {
    await stop()
    if (startError !== undefined) throw cannotStart(manifest, startError)
    const said = printed.all().slice(-3).join(' | ')
    throw new EntireError(
      'agent-failed',
      `initialize ${name}: ${messageOf(error)}${said === '' ? '' : ` (it printed: ${said})`}`,
      {
        hint: `Run \`piglet ext check ${manifest.dir}\` to see what is wrong with it.`,
      },
    )
  }
  isShaken = true
  return live
}

function startChild(manifest: Manifest, options: StartOptions): LongRunningChild {
  const env = extensionEnvironment(options.env, manifest, options.session, options.granted)
  try {
    return startLongRunningChild(runtimeCommand(manifest), { cwd: manifest.dir, env })
  } catch (error) {
    throw cannotStart(manifest, messageOf(error))
  }
}

// What an extension registers while it is being started: each one is looked at by itself, and a bad one does not spoil the others.

export function noRegistrations(): Registrations {
  return Object.fromEntries(
    Object.keys(registrationMethods).map((name) => [name, []]),
  ) as unknown as Registrations
}

/** Adds it, or says why not. */
export function register(
  list: Registrations,
  manifest: Manifest,
  name: Registration,
  params: unknown,
): string | undefined {
  const parsed = parseMethodParams(name, params)
  if ('problem' in parsed) return `${manifest.dir}: ${name} ignored: ${parsed.problem}`
  const refusal = findRefusal(manifest, name, registrationMethods[name], parsed.value)
  if (refusal !== undefined) return `${manifest.dir}/${manifestName}: ${refusal}`
  ;(list[name] as unknown[]).push(parsed.value)
  return undefined
}

// Pieces of answers that providers make, each for whoever waits for that answer.

type Delta = Params<'provider/delta'>

export function deltaListeners() {
  const listeners = new Map<number, (delta: Delta) => void>()
  return {
    on(requestId: number, listener: (delta: Delta) => void): () => void {
      listeners.set(requestId, listener)
      return () => void listeners.delete(requestId)
    },
    /** Says what is wrong with it, if anything is. */
    hear(params: unknown): string | undefined {
      const parsed = parseMethodParams('provider/delta', params)
      if ('problem' in parsed) return `provider/delta: ${parsed.problem}`
      const delta = parsed.value as Delta
      listeners.get(delta.requestId)?.(delta)
      return undefined
    },
  }
}
