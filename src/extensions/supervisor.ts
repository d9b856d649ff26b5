// Keeps an extension running: starts it, notices when it has ended or hangs, restarts it, and replaces it
// without losing a request. What happens in which state is in `supervisor-table.ts`.

import { messageOf } from '../std/errors.ts'
import type { LiveExtension } from './live-extension.ts'
import {
  type SupervisorAction,
  type SupervisorEvent,
  type SupervisorState,
  supervisorTable,
} from './supervisor-table.ts'

export interface SupervisorOptions {
  name: string
  /**
   * Starts a process as the manifest says now. `onLate` is called when one of its answers misses a deadline.
   */
  launch(onLate: () => void): Promise<LiveExtension>
  /** From now on this is the process behind the name. */
  onAdopt(live: LiveExtension): void
  onDrop(live: LiveExtension): void
  /** It does not run, and will not be restarted soon. */
  onGiveUp?(): void
  tell(level: 'info' | 'warn' | 'error', message: string): void
  times?: Partial<SupervisorTimes>
}

export interface SupervisorTimes {
  /** Pauses before the restarts that follow failures in a row. */
  restsMs: number[]
  /** After running this long, earlier failures no longer count. */
  stableMs: number
  /** How often an extension that was given up is tried again. */
  probeMs: number
  /** How long a replaced process may take to finish what it was asked. */
  drainMs: number
  /** A process that was late and does not answer a ping within this time hangs. */
  graceMs: number
  /** How often a process without open requests is pinged. */
  pingMs: number
}

export const usualTimes: SupervisorTimes = {
  restsMs: [1000, 2000, 4000, 8000, 16000],
  stableMs: 30_000,
  probeMs: 60_000,
  drainMs: 10_000,
  graceMs: 5000,
  pingMs: 30_000,
}

export interface SupervisorStatus {
  state: SupervisorState
  /** Why it does not run, or why a newer process was not adopted. */
  reason: string
  lastLines: string[]
  restarts: number
  since: Date
}

export class Supervisor {
  readonly name: string
  readonly #options: SupervisorOptions
  readonly #times: SupervisorTimes
  readonly #status: SupervisorStatus = {
    state: 'stopped',
    reason: 'it was never started',
    lastLines: [],
    restarts: 0,
    since: new Date(),
  }
  #live: LiveExtension | undefined
  /** Started and well, but not adopted yet. */
  #newcomer: LiveExtension | undefined
  /** Counts launches: what a superseded one leads to is ignored. */
  #attempt = 0
  /** Failures in a row. */
  #failures = 0
  #hasRun = false
  #lastError = ''
  #timer: NodeJS.Timeout | undefined
  #retiring: Promise<unknown> = Promise.resolve()
  #waiters: (() => void)[] = []

  constructor(options: SupervisorOptions) {
    this.name = options.name
    this.#options = options
    this.#times = { ...usualTimes, ...options.times }
  }

  live(): LiveExtension | undefined {
    return this.#live
  }

  status(): SupervisorStatus {
    return { ...this.#status }
  }

  /** Settles when it runs, or when it is known that it does not. */
  async start(): Promise<void> {
    this.#handle('start')
    await this.#untilSettled()
  }

  async reload(): Promise<void> {
    this.#failures = 0
    this.#handle('reload')
    await this.#untilSettled()
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#handle('stop')
    await this.#retiring
  }

  #handle(event: SupervisorEvent): void {
    const { state, actions } = supervisorTable[this.#status.state][event]
    this.#status.state = state
    for (const action of actions) this.#actions[action]()
    if (this.#isUnsettled()) return
    for (const resolve of this.#waiters) resolve()
    this.#waiters = []
  }

  #isUnsettled(): boolean {
    return this.#status.state === 'starting' || this.#status.state === 'reloading'
  }

  #untilSettled(): Promise<void> {
    if (!this.#isUnsettled()) return Promise.resolve()
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  readonly #actions: Record<SupervisorAction, () => void> = {
    launch: () => {
      clearTimeout(this.#timer)
      this.#attempt += 1
      const attempt = this.#attempt
      this.#launch(attempt).catch((error) => {
        if (attempt === this.#attempt) this.#launchFailed(messageOf(error))
      })
    },
    adopt: () => {
      const live = this.#newcomer as LiveExtension
      this.#live = live
      this.#newcomer = undefined
      this.#hasRun = true
      this.#lastError = ''
      Object.assign(this.#status, { reason: '', lastLines: [], since: new Date() })
      this.#watch(live)
      this.#options.onAdopt(live)
    },
    retire: () => this.#part((old) => this.#drain(old)),
    end: () => this.#part((old) => old.stop()),
    discard: () => {
      this.#attempt += 1
      this.#newcomer?.stop()
      this.#newcomer = undefined
    },
    drop: () => {
      const gone = this.#live
      this.#live = undefined
      if (gone) this.#options.onDrop(gone)
    },
    rest: () => {
      const { restsMs } = this.#times
      const restMs = restsMs[Math.min(this.#failures, restsMs.length) - 1] ?? 0
      this.#options.tell('warn', `${this.name} crashed, restarting in ${Math.round(restMs / 1000)} s`)
      this.#status.restarts += 1
      this.#timer = setTimeout(() => this.#handle('timer'), restMs)
    },
    probe: () => {
      this.#options.onGiveUp?.()
      if (this.#lastError === '') this.#tellError(`${this.name} does not run: ${this.#status.reason}`)
      this.#timer = setTimeout(() => this.#handle('timer'), this.#times.probeMs)
      this.#timer.unref?.()
    },
  }

  async #launch(attempt: number): Promise<void> {
    // A request may time out before the launch has returned the process; then the launch itself decides.
    let launched: LiveExtension | undefined
    const started = await this.#options.launch(() => {
      if (launched !== undefined) void this.#checkAnswers(launched)
    })
    launched = started
    const isWell = started.isRunning() && (await started.ping(this.#times.graceMs))
    if (attempt !== this.#attempt) return started.stop()
    if (!isWell) {
      await started.stop()
      throw new Error('it completed the handshake and then stopped answering')
    }
    this.#newcomer = started
    this.#handle('ready')
  }

  #launchFailed(reason: string): void {
    this.#status.reason = reason
    const isReload = this.#status.state === 'reloading'
    if (isReload) {
      this.#options.tell('error', `${this.name} reload failed: ${reason}`)
    } else {
      this.#failures += 1
      this.#tellError(`${this.name} could not be started: ${reason}`)
    }
    const isHopeless = !isReload && (!this.#hasRun || this.#failures > this.#times.restsMs.length)
    this.#handle(isHopeless ? 'given-up' : 'failed')
  }

  // An extension that is tried every minute must not repeat its error every minute.
  #tellError(message: string): void {
    if (message !== this.#lastError) this.#options.tell('error', message)
    this.#lastError = message
  }

  #watch(live: LiveExtension): void {
    const startedAt = Date.now()
    const pings = setInterval(() => {
      if (live.load().waiting === 0) void this.#checkAnswers(live)
    }, this.#times.pingMs)
    pings.unref?.()
    live.exited.then(({ reason, lastLines }) => {
      clearInterval(pings)
      if (live !== this.#live) return
      this.#failures = Date.now() - startedAt >= this.#times.stableMs ? 0 : this.#failures + 1
      Object.assign(this.#status, { reason: `it ended (${reason})`, lastLines, since: new Date() })
      if (this.#failures > this.#times.restsMs.length) this.#giveUp()
      else this.#handle('gone')
    })
  }

  #giveUp(): void {
    this.#actions.drop()
    this.#status.state = 'resting'
    this.#handle('given-up')
  }

  // An extension may be late once; one that does not answer a ping either hangs, and is ended.
  async #checkAnswers(live: LiveExtension): Promise<void> {
    if (live !== this.#live || (await live.ping(this.#times.graceMs)) || live !== this.#live) return
    this.#options.tell('warn', `${this.name} no longer answers`)
    await live.stop()
  }

  #part(end: (old: LiveExtension) => Promise<void>): void {
    const old = this.#live
    this.#live = undefined
    if (old) this.#retiring = Promise.all([this.#retiring, end(old).then(() => this.#options.onDrop(old))])
  }

  async #drain(old: LiveExtension): Promise<void> {
    const until = Date.now() + this.#times.drainMs
    const isBusy = () => old.isRunning() && old.load().waiting + old.load().serving > 0
    while (isBusy() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
    await old.stop()
  }
}
