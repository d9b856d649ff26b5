// Keeps an extension running: starts it, notices when it is gone, starts it again, and replaces it without losing a request.

import { type Peer, RpcFailure } from '../protocol/extension/peer.ts'
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
  /** Starts a process from what the manifest says now. `onLate`: an answer of it did not come in time. */
  launch(onLate: () => void): Promise<LiveExtension>
  /** This is the process behind the name from now on. */
  onAdopt(live: LiveExtension): void
  onDrop(live: LiveExtension): void
  /** It does not run, and will not soon. */
  onGiveUp?(): void
  tell(level: 'info' | 'warn' | 'error', message: string): void
  times?: Partial<SupervisorTimes>
}

export interface SupervisorStatus {
  state: SupervisorState
  /** Why it does not run, or why the newer one was not taken. */
  reason: string
  lastLines: string[]
  restarts: number
  since: Date
}

export type Supervisor = ReturnType<typeof createSupervisor>

export function createSupervisor(options: SupervisorOptions) {
  const times = { ...usualTimes, ...options.times }
  const { name } = options
  const status: SupervisorStatus = {
    state: 'stopped',
    reason: 'it was never started',
    lastLines: [],
    restarts: 0,
    since: new Date(),
  }
  let live: LiveExtension | undefined
  let newcomer: LiveExtension | undefined
  let attempt = 0
  let failures = 0
  let hasRun = false
  let timer: NodeJS.Timeout | undefined
  let retiring: Promise<unknown> = Promise.resolve()
  let settled: (() => void)[] = []
  let lastError = ''

  // What is tried every minute is not told every minute.
  const tellError = (message: string) => {
    if (message !== lastError) options.tell('error', message)
    lastError = message
  }

  const run: Record<SupervisorAction, () => void> = {
    launch() {
      clearTimeout(timer)
      const mine = ++attempt
      start(mine).catch((error) => {
        if (mine !== attempt) return
        Object.assign(status, { reason: messageOf(error) })
        const isReload = status.state === 'reloading'
        failures += isReload ? 0 : 1
        if (isReload) options.tell('error', `${name} reload failed: ${messageOf(error)}`)
        else tellError(`${name} could not be started: ${messageOf(error)}`)
        handle(!isReload && (!hasRun || failures > times.restsMs.length) ? 'given-up' : 'failed')
      })
    },
    adopt() {
      live = newcomer as LiveExtension
      newcomer = undefined
      hasRun = true
      lastError = ''
      Object.assign(status, { reason: '', lastLines: [], since: new Date() })
      watch(live)
      options.onAdopt(live)
    },
    retire: () => leave(drain),
    end: () => leave((old) => old.stop()),
    discard() {
      attempt += 1
      newcomer?.stop()
      newcomer = undefined
    },
    drop() {
      const gone = live
      live = undefined
      if (gone) options.onDrop(gone)
    },
    rest() {
      const restMs = times.restsMs[Math.min(failures, times.restsMs.length) - 1] ?? 0
      options.tell('warn', `${name} crashed, restarting in ${Math.round(restMs / 1000)} s`)
      status.restarts += 1
      timer = setTimeout(() => handle('timer'), restMs)
    },
    probe() {
      options.onGiveUp?.()
      if (lastError === '') tellError(`${name} does not run: ${status.reason}`)
      timer = setTimeout(() => handle('timer'), times.probeMs)
      timer.unref?.()
    },
  }

  function leave(how: (old: LiveExtension) => Promise<void>): void {
    const old = live
    live = undefined
    if (old) retiring = Promise.all([retiring, how(old).then(() => options.onDrop(old))])
  }

  async function start(mine: number): Promise<void> {
    const started = await options.launch(() => void checkAnswers(started))
    const isWell = started.isRunning() && (await started.ping(times.graceMs))
    if (mine !== attempt) return started.stop()
    if (!isWell) {
      await started.stop()
      throw new Error('it shook hands and answered no more')
    }
    newcomer = started
    handle('ready')
  }

  function watch(watched: LiveExtension): void {
    const startedAt = Date.now()
    const pings = setInterval(() => {
      if (watched.load().waiting === 0) void checkAnswers(watched)
    }, times.pingMs)
    pings.unref?.()
    watched.exited.then(({ reason, lastLines }) => {
      clearInterval(pings)
      if (watched !== live) return
      if (Date.now() - startedAt >= times.stableMs) failures = 0
      else failures += 1
      Object.assign(status, { reason: `it ended (${reason})`, lastLines, since: new Date() })
      // Too many in a row: it is looked at from time to time only.
      if (failures > times.restsMs.length) giveUp()
      else handle('gone')
    })
  }

  function giveUp(): void {
    run.drop()
    status.state = 'resting'
    handle('given-up')
  }

  // Late once is no crime; hanging is.
  async function checkAnswers(watched: LiveExtension): Promise<void> {
    if (watched !== live || (await watched.ping(times.graceMs)) || watched !== live) return
    options.tell('warn', `${name} does not answer any more`)
    await watched.stop()
  }

  async function drain(old: LiveExtension): Promise<void> {
    const until = Date.now() + times.drainMs
    const busy = () => old.isRunning() && old.load().waiting + old.load().serving > 0
    while (busy() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
    await old.stop()
  }

  function handle(event: SupervisorEvent): void {
    const step = supervisorTable[status.state][event]
    status.state = step.state
    for (const action of step.actions) run[action]()
    if (!['starting', 'reloading'].includes(status.state)) {
      for (const resolve of settled) resolve()
      settled = []
    }
  }

  const untilSettled = () =>
    ['starting', 'reloading'].includes(status.state)
      ? new Promise<void>((resolve) => settled.push(resolve))
      : Promise.resolve()

  return {
    name,
    live: () => live,
    status: (): SupervisorStatus => ({ ...status }),
    /** Settles when it runs, or when it is known that it does not. */
    async start(): Promise<void> {
      handle('start')
      await untilSettled()
    },
    async reload(): Promise<void> {
      failures = 0
      handle('reload')
      await untilSettled()
    },
    async stop(): Promise<void> {
      clearTimeout(timer)
      handle('stop')
      await retiring
    },
  }
}

// How patient a supervisor is.

export interface SupervisorTimes {
  restsMs: number[]
  /** Whoever ran so long is well: what went wrong before counts no more. */
  stableMs: number
  probeMs: number
  drainMs: number
  /** Whoever was late and does not answer within this time hangs. */
  graceMs: number
  /** So often one that is asked nothing is asked whether it is there. */
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

// Finds out whether an extension still answers, by a question that nobody knows: programs answer such a question with an error. One that
// did not do so when it was well is not asked again.

const question = '$/ping'
const firstMs = 250

export function createPinger(peer: Peer): (withinMs: number) => Promise<boolean> {
  let answers: Promise<boolean> | undefined
  return async (withinMs) => {
    answers ??= ask(peer, firstMs)
    return (await answers) ? await ask(peer, withinMs) : true
  }
}

async function ask(peer: Peer, deadlineMs: number): Promise<boolean> {
  let isLate = false
  try {
    await peer.request(question, {}, { deadlineMs, onLate: () => (isLate = true) })
    return true
  } catch (error) {
    return error instanceof RpcFailure && !isLate
  }
}
