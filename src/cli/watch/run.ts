// Follows the files of all watched agents until a signal comes.

import { type FSWatcher, utimesSync, watch } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from '../../git/repo.ts'
import { EntireError } from '../../std/errors.ts'
import { exists, findStat, readText } from '../../std/file.ts'
import { takeLock } from '../../std/lock.ts'
import { parseTime } from '../../std/time.ts'
import { type FileFollower, followFile, readSeal } from '../../watch/file.ts'
import { readWatchState, type WatchState, writeWatchState } from '../../watch/state.ts'
import type { Cli } from '../context.ts'
import { systemRecorder } from '../recorder.ts'
import { listenForStop } from '../signals.ts'
import { jsonNarrator, type Narrator, textNarrator } from './narrator.ts'
import type { WatchedAgent } from './watched-agents.ts'

const keepMs = 60_000

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
  const narrator = options.json ? jsonNarrator(cli) : textNarrator(cli, repo)
  const watch: Watch = { cli, repo, state: readWatchState(repo), narrator, quietMs: options.quietMs }
  const waker = createWaker(options.quietMs)
  using stop = listenForStop(waker.wake)
  const sources = watched.map((each) => followAgent(watch, each))
  const dirs = (await Promise.all(watched.map(({ watcher, place }) => watcher.dirs(place)))).flat()
  let kept = cli.clock().getTime()
  // What is there already is taken in before anybody is told that from now on everything is seen.
  for (const source of sources) await source.look()
  waker.attend(dirs)
  noteTime(watch, watched)
  narrator.watching(watched, dirs)
  while (stop.reason() === undefined) {
    await waker.next()
    waker.attend(dirs)
    for (const source of sources) await source.look()
    if (cli.clock().getTime() - kept < keepMs) continue
    kept = cli.clock().getTime()
    if (!lock.keep())
      throw new EntireError('busy', 'Another `entire watch` took over.', {
        hint: 'This one was asleep for too long.',
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
  // Files that are no sessions, or that nobody has written to for long, with the size they had: most of them stay as they are.
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
    return followFile({
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
      // What was written in the last moment belongs to the turn.
      for (const follower of followers.values()) {
        await follower.look(cli.clock().getTime())
        await follower.finish()
      }
    },
  }
}

// Waits until there may be something to read. The system reports changes where it can; a look every now and then finds what it does not
// report: on network drives, in directories that are not there yet.

const tickMs = { reported: 1_000, unreported: 250 }
// Agents write in bursts; each look takes in all of it.
const settleMs = 25

export interface Waker {
  /** Directories whose changes wake us; asked for again until they are there. */
  attend(dirs: string[]): void
  /** Resolves at the next change, tick or call of `wake`. */
  next(): Promise<void>
  wake(): void
  close(): void
}

/** `longest`: how long to wait at most. */
export function createWaker(longest: number, subscribe = watchDir): Waker {
  const watchers = new Map<string, FSWatcher | undefined>()
  let isAwake = false
  let resolveNext: (() => void) | undefined
  const wake = () => {
    isAwake = true
    resolveNext?.()
  }
  const drop = (dir: string) => {
    watchers.get(dir)?.close()
    watchers.set(dir, undefined)
  }
  return {
    wake,
    attend(dirs) {
      for (const dir of dirs) {
        // A directory that was replaced reports nothing any more.
        if (!exists(dir)) drop(dir)
        else if (watchers.get(dir) === undefined)
          watchers.set(
            dir,
            subscribe(dir, wake, () => drop(dir)),
          )
      }
    },
    async next() {
      const pause = [...watchers.values()].every((watcher) => watcher !== undefined)
        ? tickMs.reported
        : tickMs.unreported
      if (!isAwake) {
        await new Promise<void>((resolve) => {
          resolveNext = resolve
          setTimeout(resolve, Math.min(pause, longest))
        })
      }
      resolveNext = undefined
      if (isAwake) await Bun.sleep(settleMs)
      isAwake = false
    },
    close() {
      for (const dir of watchers.keys()) drop(dir)
    },
  }
}

export function watchDir(dir: string, wake: () => void, lost: () => void): FSWatcher | undefined {
  try {
    return watch(dir, { persistent: false }, wake).on('error', lost)
  } catch {
    return undefined
  }
}

// One watcher for each work tree: two would record everything twice.

export interface WatchLock {
  /** Locks that nobody touches for long are taken over. False: somebody did. */
  keep(): boolean
  [Symbol.dispose](): void
}

export async function takeWatchLock(repo: Repo): Promise<WatchLock> {
  const path = join(repo.gitDir, 'entire-watch.lock')
  try {
    const lock = await takeLock(path, { waitMs: 0 })
    const own = readText(path)
    return {
      keep() {
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
    throw new EntireError('busy', `Somebody is watching here already${owner ? ` (process ${owner})` : ''}.`, {
      hint: 'One `entire watch` is enough for all agents. Stop that one first, or leave it running.',
    })
  }
}
