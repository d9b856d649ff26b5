// After an amend or a rebase: sessions rooted at a rewritten commit follow it.
import { shadowRef } from '../checkpoints/layout.ts'
import { moveRefs, type RefMove } from '../git/refs.ts'
import { takeLock } from '../std/lock.ts'
import { readLive, updateLive, writeLive } from './live.ts'
import { lockFile } from './persist.ts'
import { readSession, writeSession } from './store.ts'
import { openGit, type Recorder } from './work.ts'

const lockWaitMs = 10_000

/** `rewritten`: lines of `old new`, as git gives them to the hook. */
export async function postRewrite(recorder: Recorder, kind: string, rewritten: string): Promise<void> {
  const { repo } = recorder
  const renames = new Map(
    rewritten
      .split('\n')
      .flatMap((line) => (/^[0-9a-f]{40,64} [0-9a-f]{40,64}/.test(line) ? [line.split(' ').slice(0, 2) as [string, string]] : [])),
  )
  if ((kind !== 'amend' && kind !== 'rebase') || renames.size === 0) return
  const known = readLive(repo)
  if (known.lastLink === undefined && known.sessions.size === 0) return
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  await using git = openGit(repo)
  const live = readLive(repo)
  const moves = new Map<string, RefMove[]>()
  for (const [id, entry] of live.sessions) {
    const to = renames.get(entry.base)
    const session = to === undefined ? undefined : readSession(repo, id)
    if (to === undefined || session === undefined) continue
    const [from, target] = [shadowRef(session.baseCommit, session.worktreeId), shadowRef(to, session.worktreeId)]
    const [tip, taken] = [await git.objects.info(from), await git.objects.info(target)]
    if (tip !== undefined && taken !== undefined && from !== target) continue
    if (tip !== undefined && from !== target)
      moves.set(from, [
        { ref: target, to: tip.oid, from: undefined },
        { ref: from, to: undefined, from: tip.oid },
      ])
    if (tip === undefined) session.attributionBase = renames.get(session.attributionBase) ?? session.attributionBase
    session.baseCommit = to
    if (session.turnHead !== undefined) session.turnHead = renames.get(session.turnHead) ?? session.turnHead
    writeSession(repo, session)
    updateLive(live, session)
  }
  await moveRefs(repo, [...moves.values()].flat())
  const follows = live.lastLink && renames.get(live.lastLink.commit)
  if (live.lastLink !== undefined && follows !== undefined) live.lastLink = { ...live.lastLink, commit: follows }
  writeLive(repo, live)
}
