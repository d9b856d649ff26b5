// Runs `entire watch`: follows the session files of all watched agents until a signal.

import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from '../../git/repo.ts'
import { EntireError } from '../../std/errors.ts'
import { findStat, readText } from '../../std/file.ts'
import { takeLock } from '../../std/lock.ts'
import { parseTime } from '../../std/time.ts'
import { FileFollower, readSeal } from '../../watch/follow-file.ts'
import { readWatchState, type WatchState, writeWatchState } from '../../watch/state.ts'
import type { Cli } from '../context.ts'
import { systemRecorder } from '../recorder.ts'
import { listenForStop } from '../signals.ts'
import { jsonNarrator, type Narrator, textNarrator } from './narrator.ts'
import { createWaker } from './waker.ts'
import type { WatchedAgent } from './watched-agents.ts'

const renewMs = 60_000

interface Watch {
  cli: Cli
  repo: Repo
  state: WatchState
  narrator: Narrator
  quietMs: number
}

export async function runWatch(
  cli: Cli,
  repo: Repo,
  watched: WatchedAgent[],
  options: { quietMs: number; json: boolean },
): Promise<void> {
  using lock = await takeWatchLock(repo)
  const narrator = options.json ? jsonNarrator(cli, repo) : textNarrator(cli, repo)
  const watch: Watch = { cli, repo, state: readWatchState(repo), narrator, quietMs: options.quietMs }
  const waker = createWaker(options.quietMs)
  using stop = listenForStop(waker.wake)
  const sources = watched.map((each) => followAgent(watch, each))
  const dirs = (await Promise.all(watched.map(({ watcher, place }) => watcher.dirs(place)))).flat()
  let renewedAt = cli.clock().getTime()
  // Reads existing files before reporting that the watch has started.
  for (const source of sources) await source.look()
  waker.attend(dirs)
  noteTime(watch, watched)
  narrator.watching(watched, dirs)
  while (stop.reason() === undefined) {
    await waker.next()
    waker.attend(dirs)
    for (const source of sources) await source.look()
    if (cli.clock().getTime() - renewedAt < renewMs) continue
    renewedAt = cli.clock().getTime()
    if (!lock.renew())
      throw new EntireError('busy', 'Another `entire watch` has taken over.', {
        hint: 'This one was suspended for too long.',
      })
    noteTime(watch, watched)
  }
  waker.close()
  for (const source of sources) await source.finish()
  noteTime(watch, watched)
  narrator.stopped(stop.reason() ?? '')
}

function noteTime({ repo, state, cli }: Watch, watched: WatchedAgent[]): void {
  for (const { agent } of watched) state.until.set(agent.name, cli.clock().toISOString())
  writeWatchState(repo, state)
}

function followAgent(watch: Watch, { agent, watcher, isHooked, place }: WatchedAgent) {
  const { cli, repo, state, narrator } = watch
  const startedAt = cli.clock()
  const since = parseTime(state.until.get(agent.name)) ?? startedAt
  const followers = new Map<string, FileFollower>()
  // Files that are not sessions, or have not changed for long, with their size; most of them never change.
  const waiting = new Map<string, { size: number; silentUpTo: number }>()
  let isFirst = true

  const recorder = () => {
    const fresh = systemRecorder(repo, { component: 'watch', agent: agent.name })
    return fresh.settings.enabled ? { ...fresh, say: () => {}, respond: () => {} } : undefined
  }

  async function open(path: string, silentUpTo: number): Promise<FileFollower | undefined> {
    const read = await watcher.open(path, place)
    if (read === undefined) return undefined
    const known = state.files.get(path)
    const file = known ?? { bytes: 0, lines: 0, seal: readSeal(path, 0) }
    state.files.set(path, file)
    return new FileFollower({
      agent,
      path,
      state: file,
      silentUpTo: known === undefined ? silentUpTo : 0,
      since,
      touchedAt: undefined,
      isOld: false,
      recorder,
      report: (news) => narrator.news(agent, news),
      read,
      isHooked,
      quietMs: watch.quietMs,
      save: () => writeWatchState(repo, state),
    })
  }

  async function meet(path: string): Promise<void> {
    const stat = findStat(path)
    const waits = waiting.get(path)
    if (stat === undefined || waits?.size === stat.size) return
    const isNew = !isFirst || stat.birthtimeMs > since.getTime()
    const silentUpTo = waits?.silentUpTo ?? (isNew ? 0 : stat.size)
    const isIdle =
      isFirst && stat.mtimeMs <= since.getTime() && agent.watcher === undefined && !state.files.has(path)
    const follower = isIdle ? undefined : await open(path, silentUpTo)
    if (follower === undefined) return void waiting.set(path, { size: stat.size, silentUpTo })
    waiting.delete(path)
    followers.set(path, follower)
  }

  return {
    async look(): Promise<void> {
      for (const path of await watcher.list(place)) if (!followers.has(path)) await meet(path)
      isFirst = false
      for (const follower of followers.values()) await follower.look(cli.clock().getTime())
    },
    async finish(): Promise<void> {
      // The last lines belong to the turn.
      for (const follower of followers.values()) {
        await follower.look(cli.clock().getTime())
        await follower.finish()
      }
    },
  }
}

interface WatchLock {
  /** Keeps the lock from being taken over as stale. False when another process has taken it. */
  renew(): boolean
  [Symbol.dispose](): void
}

/** Only one watcher may run in a work tree: two would record everything twice. */
async function takeWatchLock(repo: Repo): Promise<WatchLock> {
  const path = join(repo.gitDir, 'entire-watch.lock')
  try {
    const lock = await takeLock(path, { waitMs: 0 })
    const own = readText(path)
    return {
      renew() {
        if (readText(path) !== own) return false
        const now = new Date()
        utimesSync(path, now, now)
        return true
      },
      [Symbol.dispose]: () => lock[Symbol.dispose](),
    }
  } catch (error) {
    if (!(error instanceof EntireError && error.code === 'busy')) throw error
    const owner = readText(path)?.split(' ')[0]
    throw new EntireError(
      'busy',
      `Another \`entire watch\` is running in this work tree${owner ? ` (process ${owner})` : ''}.`,
      {
        hint: 'One is enough for all agents. Stop that one first, or leave it running.',
      },
    )
  }
}
