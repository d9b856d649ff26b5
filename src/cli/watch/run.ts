// Follows the files of all watched agents until a signal comes.
import type { Repo } from '../../git/repo.ts'
import { type FileFollower, followFile } from '../../session/watch-file.ts'
import { readSeal } from '../../session/watch-growth.ts'
import { readWatchState, type WatchState, writeWatchState } from '../../session/watch-state.ts'
import { EntireError } from '../../std/errors.ts'
import { findStat } from '../../std/file.ts'
import { parseTime } from '../../std/time.ts'
import type { Cli } from '../context.ts'
import { createRecorder } from '../recorder.ts'
import type { WatchedAgent } from './agents.ts'
import { jsonNarrator, type Narrator, textNarrator } from './lines.ts'
import { takeWatchLock } from './lock.ts'
import { untilSignal } from './signals.ts'
import { createWaker } from './wake.ts'

const keepMs = 60_000

interface Watch {
  cli: Cli
  repo: Repo
  state: WatchState
  narrator: Narrator
  quietMs: number
}

export async function runWatch(cli: Cli, repo: Repo, watched: WatchedAgent[], options: { quietMs: number; json: boolean }): Promise<void> {
  using lock = await takeWatchLock(repo)
  const narrator = options.json ? jsonNarrator(cli) : textNarrator(cli, repo)
  const watch: Watch = { cli, repo, state: readWatchState(repo), narrator, quietMs: options.quietMs }
  const waker = createWaker(options.quietMs)
  using stop = untilSignal(waker.wake)
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
    if (!lock.keep()) throw new EntireError('busy', 'Another `entire watch` took over.', { hint: 'This one was asleep for too long.' })
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
    const fresh = createRecorder(repo, { component: 'watch', agent: agent.name })
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
    const isIdle = isFirst && stat.mtimeMs <= since.getTime() && agent.watcher === undefined && !state.files.has(path)
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
