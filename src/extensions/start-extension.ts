// Starts the process of an extension and completes the handshake. The extension may send requests from its
// first line on; registrations count until it has answered `initialize`.

import { safeParse } from 'valibot'
import { registrations as registrationMethods } from '../protocol/extension/offers.ts'
import { Peer } from '../protocol/extension/peer.ts'
import { RpcFailure, rpcErrorCodes } from '../protocol/extension/rpc.ts'
import {
  type ExtensionNotice,
  type ExtensionRequest,
  extensionProtocolVersion,
  isRegistration,
  type MethodResult,
  methods,
  type Registration,
  type SentParams,
} from '../protocol/extension/table.ts'
import type { Environment } from '../std/environment.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { type LongRunningChild, startLongRunningChild } from '../std/long-running-child.ts'
import type { CallOptions, Delta, Exit, HostSide, LiveExtension, Registrations } from './live-extension.ts'
import { type Manifest, manifestName } from './manifest.ts'
import { type Approve, findRefusal } from './permissions.ts'
import { cannotStart, checkRuntime, extensionEnvironment, runtimeCommand } from './runtime.ts'
import { limitServing, parseMethodParams, serveNotice, serveRequest } from './serve.ts'
import { PrintedLines, stopChild, Transport } from './transport.ts'

export interface StartOptions {
  /** The project. */
  cwd: string
  /** The directory in which the extension may keep its data. */
  configDir: string
  session: string | undefined
  env: Environment
  /** Environment variables that the user granted to it. */
  granted?: string[]
  approve: Approve
  log(level: 'debug' | 'warn', message: string): void
  /** Sees every line of the protocol, in both directions. */
  tap?(direction: 'in' | 'out', line: string): void
  /** Called when an answer misses its deadline. */
  onLate?(): void
  handshakeMs?: number
}

export async function startExtension(
  manifest: Manifest,
  side: HostSide,
  options: StartOptions,
): Promise<LiveExtension> {
  checkRuntime(manifest)
  const extension = new ExtensionProcess(startChild(manifest, options), manifest, side, options)
  await extension.initialize()
  return extension
}

function startChild(manifest: Manifest, options: StartOptions): LongRunningChild {
  const env = extensionEnvironment(options.env, manifest, options.session, options.granted)
  try {
    return startLongRunningChild(runtimeCommand(manifest), { cwd: manifest.dir, env })
  } catch (error) {
    throw cannotStart(manifest, messageOf(error))
  }
}

/** A method no extension knows: programs answer it with an error, and so prove that they answer at all. */
const pingMethod = '$/ping'
const firstPingMs = 250
const shutdownMs = 100

class ExtensionProcess implements LiveExtension {
  readonly manifest: Manifest
  readonly registrations = noRegistrations()
  readonly exited: Promise<Exit>
  readonly #options: StartOptions
  readonly #child: LongRunningChild
  readonly #transport: Transport
  readonly #peer: Peer
  readonly #serving: { side: HostSide; approve: Approve; live: LiveExtension }
  readonly #printed = new PrintedLines()
  readonly #deltaListeners = new Map<number, (delta: Delta) => void>()
  readonly #ended = new AbortController()
  #answersPings: Promise<boolean> | undefined
  #isInitialized = false
  #isStopping = false
  #startError: string | undefined

  constructor(child: LongRunningChild, manifest: Manifest, side: HostSide, options: StartOptions) {
    this.manifest = manifest
    this.#options = options
    this.#child = child
    this.#serving = { side, approve: options.approve, live: this }
    this.#transport = new Transport(child, manifest, {
      onLine: (line) => {
        options.tap?.('in', line)
        this.#peer.receive(line)
      },
      onTooLong: (head) => {
        options.log('warn', `${manifest.name} sent a line of more than 4 MiB`)
        this.#peer.refuse(head)
      },
      onPrinted: (line) => {
        this.#printed.add(line)
        options.log('debug', line)
      },
      // An extension that can send nothing more is useless; its exit code tells what happened.
      onEnd: () => void stopChild(child, this.#transport),
    })
    this.#peer = new Peer({
      send: (line) => {
        options.tap?.('out', line)
        return this.#transport.send(line)
      },
      serve: limitServing(this.#transport, (method, params, signal) =>
        serveRequest(this.#serving, method, params, signal),
      ),
      hear: (method, params) => {
        const problem = this.#hear(method, params)
        if (problem !== undefined) options.log('warn', `${manifest.name}: ${problem}`)
      },
      reject: (line) =>
        options.log('debug', `${manifest.name} sent a line that is not a message: ${line.slice(0, 200)}`),
    })
    this.exited = child.exited.then(({ startError, signal, code }) => {
      this.#startError = startError
      return this.#end(startError ?? (signal ? `killed by ${signal}` : `exit code ${code}`))
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  async initialize(): Promise<void> {
    const { cwd, configDir, handshakeMs } = this.#options
    try {
      const params = { protocolVersion: extensionProtocolVersion, cwd, configDir }
      await this.request('initialize', params, given({ deadlineMs: handshakeMs }))
    } catch (error) {
      await this.stop()
      throw this.#handshakeFailure(error)
    }
    this.#isInitialized = true
  }

  async request<M extends ExtensionRequest>(
    method: M,
    params: SentParams<M>,
    options: CallOptions = {},
  ): Promise<MethodResult<M>> {
    const { result, deadlineMs } = methods[method]
    const answer = await this.#peer.request(method, params, {
      signal: options.signal,
      deadlineMs: options.deadlineMs ?? deadlineMs,
      onLate: this.#options.onLate,
    })
    const parsed = safeParse(result, answer)
    if (parsed.success) return parsed.output as never
    throw new RpcFailure(
      rpcErrorCodes.failed,
      `${this.manifest.name} gave an invalid answer to ${method}: ${parsed.issues[0].message}`,
    )
  }

  tell<M extends ExtensionNotice>(method: M, params: SentParams<M>): void {
    void this.#peer.tell(method, params)
  }

  onDelta(requestId: number, listener: (delta: Delta) => void): () => void {
    this.#deltaListeners.set(requestId, listener)
    return () => void this.#deltaListeners.delete(requestId)
  }

  nextId(): number {
    return this.#peer.nextId()
  }

  isRunning(): boolean {
    return !this.#ended.signal.aborted
  }

  /** An extension that did not answer the first ping, when it was well, is not pinged again. */
  async ping(withinMs: number): Promise<boolean> {
    this.#answersPings ??= this.#pingOnce(firstPingMs)
    return (await this.#answersPings) ? await this.#pingOnce(withinMs) : true
  }

  load(): { waiting: number; serving: number; outboxBytes: number } {
    return {
      waiting: this.#peer.waiting(),
      serving: this.#peer.serving(),
      outboxBytes: this.#transport.waitingBytes(),
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#child.pid !== undefined)
      await Promise.race([
        this.#peer.tell('shutdown', undefined),
        new Promise((resolve) => setTimeout(resolve, shutdownMs)),
      ])
    await stopChild(this.#child, this.#transport)
    await this.exited
  }

  /** Takes a notice; returns what is wrong with it, if anything. */
  #hear(method: string, params: unknown): string | undefined {
    if (method === 'provider/delta') return this.#hearDelta(params)
    if (!isRegistration(method)) return serveNotice(this.#serving, method, params, this.#ended.signal)
    // Before the handshake is complete only `initialize` is under way.
    if (this.#isInitialized || this.#peer.waiting() === 0)
      return `${method} ignored: it came after the answer to initialize`
    return register(this.registrations, this.manifest, method, params)
  }

  #hearDelta(params: unknown): string | undefined {
    const parsed = parseMethodParams('provider/delta', params)
    if ('problem' in parsed) return `provider/delta: ${parsed.problem}`
    const delta = parsed.value as Delta
    this.#deltaListeners.get(delta.requestId)?.(delta)
    return undefined
  }

  async #pingOnce(deadlineMs: number): Promise<boolean> {
    let isLate = false
    try {
      await this.#peer.request(pingMethod, {}, { deadlineMs, onLate: () => (isLate = true) })
      return true
    } catch (error) {
      return error instanceof RpcFailure && !isLate
    }
  }

  #end(reason: string): Exit {
    const { name } = this.manifest
    const message = this.#isStopping ? `extension ${name} closed` : `extension ${name} crashed (${reason})`
    this.#peer.close(new RpcFailure(rpcErrorCodes.failed, message))
    this.#ended.abort(new RpcFailure(rpcErrorCodes.failed, `extension ${name} is gone`))
    return { reason, lastLines: this.#printed.all() }
  }

  #handshakeFailure(error: unknown): EntireError {
    const { name, dir } = this.manifest
    if (this.#startError !== undefined) return cannotStart(this.manifest, this.#startError)
    const printed = this.#printed.all().slice(-3).join(' | ')
    return new EntireError(
      'agent-failed',
      `initialize ${name}: ${messageOf(error)}${printed === '' ? '' : ` (it printed: ${printed})`}`,
      { hint: `Run \`piglet ext check ${dir}\` to see what is wrong with it.` },
    )
  }
}

export function noRegistrations(): Registrations {
  return Object.fromEntries(
    Object.keys(registrationMethods).map((name) => [name, []]),
  ) as unknown as Registrations
}

/** Adds a registration, or returns the reason why it is ignored. */
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
