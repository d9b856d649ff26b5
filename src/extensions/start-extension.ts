// Starts an extension and shakes hands with it. It may ask the host from its first line on; what it registers counts until it has
// answered.
import { safeParse } from 'valibot'
import { type ExtensionRequest, isRegistration, methods, protocolVersion } from '../protocol/extension.ts'
import { codes } from '../protocol/extension-line.ts'
import { createPeer, RpcFailure } from '../protocol/extension-peer.ts'
import { type LongChild, startLongChild } from '../std/child-process.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import { deltaListeners } from './delta-listeners.ts'
import { type Environment, extensionEnvironment } from './environment.ts'
import { lastLines } from './last-lines.ts'
import { limitServing } from './limit-serving.ts'
import type { HostSide, LiveExtension } from './live-extension.ts'
import type { Manifest } from './manifest.ts'
import type { Approve } from './permissions.ts'
import { createPinger } from './pinger.ts'
import { noRegistrations, register } from './registration-list.ts'
import { cannotStart, checkRuntime, runtimeCommand } from './runtime-command.ts'
import { serveNotice, serveRequest } from './serve-request.ts'
import { stopChild } from './stop-child.ts'
import { openTransport } from './transport.ts'

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

export async function startExtension(manifest: Manifest, side: HostSide, options: StartOptions): Promise<LiveExtension> {
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
    peer.close(new RpcFailure(codes.failed, isStopping ? `extension ${name} closed` : `extension ${name} crashed (${how})`))
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
    const answer = await peer.request(method, params, { signal: call.signal, deadlineMs: late, onLate: options.onLate })
    const parsed = safeParse(result, answer)
    if (parsed.success) return parsed.output as never
    throw new RpcFailure(codes.failed, `${name} answered ${method} with something else: ${parsed.issues[0].message}`)
  }
  const stop = async () => {
    isStopping = true
    if (child.pid !== undefined) await Promise.race([peer.tell('shutdown', undefined), new Promise((resolve) => setTimeout(resolve, 100))])
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
    await request('initialize', params, options.handshakeMs === undefined ? {} : { deadlineMs: options.handshakeMs })
  } catch (error) {
    await stop()
    if (startError !== undefined) throw cannotStart(manifest, startError)
    const said = printed.all().slice(-3).join(' | ')
    throw new EntireError('agent-failed', `initialize ${name}: ${messageOf(error)}${said === '' ? '' : ` (it printed: ${said})`}`, {
      hint: `Run \`piglet ext check ${manifest.dir}\` to see what is wrong with it.`,
    })
  }
  isShaken = true
  return live
}

function startChild(manifest: Manifest, options: StartOptions): LongChild {
  const env = extensionEnvironment(options.env, manifest, options.session, options.granted)
  try {
    return startLongChild(runtimeCommand(manifest), { cwd: manifest.dir, env })
  } catch (error) {
    throw cannotStart(manifest, messageOf(error))
  }
}
