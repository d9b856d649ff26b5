// Moves sessions whose base commit was amended or rebased, and links by note, to the new commit.

import { join } from 'node:path'
import { notesRef, shadowRef } from '../checkpoints/layout.ts'
import { readNotesOf } from '../checkpoints/links.ts'
import type { TreeChange } from '../git/fast-import.ts'
import type { RefMove } from '../git/refs.ts'
import { checkpointTrailer } from '../git/trailers.ts'
import type { Session } from '../model/session.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { type GitSession, openGit } from '../sessions/git-session.ts'
import { readLive, updateLive, writeLive } from '../sessions/live-index.ts'
import { lockFile } from '../sessions/save.ts'
import { readSession, writeSession } from '../sessions/store.ts'
import { exists, readText, removeFile, writeAtomic } from '../std/file.ts'
import { takeLock } from '../std/lock.ts'
import { countOf } from '../std/plural.ts'
import { rewriteFile } from './pending.ts'
import { clearStateBefore } from './record.ts'

const lockWaitMs = 10_000

type Renames = ReadonlyMap<string, string>

/** `rewritten`: lines of `old new`, as git gives them to the hook. */
export async function postRewrite(recorder: Recorder, kind: string, rewritten: string): Promise<void> {
  const { repo } = recorder
  const renames = parseRenames(rewritten)
  if ((kind !== 'amend' && kind !== 'rebase') || renames.size === 0) return
  const known = readLive(repo)
  const isRecorded = known.lastStep !== undefined && renames.has(known.lastStep.head)
  if (known.lastLink === undefined && known.sessions.size === 0 && !isRecorded && !mayHaveNotes(repo)) return
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  writeAtomic(rewriteFile(repo), rewritten)
  await completeRewrite(recorder)
}

/**
 * Git reports a rewrite once, so the report is noted first: after a crash the next event starts again from
 * it.
 */
export async function completeRewrite(recorder: Recorder): Promise<void> {
  const rewritten = readText(rewriteFile(recorder.repo))
  if (rewritten === undefined) return
  await follow(recorder, parseRenames(rewritten))
  removeFile(rewriteFile(recorder.repo))
}

function parseRenames(rewritten: string): Renames {
  const lines = rewritten.split('\n').filter((line) => /^[0-9a-f]{40,64} [0-9a-f]{40,64}/.test(line))
  return new Map(lines.map((line) => line.split(' ').slice(0, 2) as [string, string]))
}

// Without a process: most repositories have no links by note.
function mayHaveNotes({ commonDir }: Recorder['repo']): boolean {
  const places = [join(commonDir, notesRef), join(commonDir, 'reftable')]
  return places.some(exists) || (readText(join(commonDir, 'packed-refs')) ?? '').includes(notesRef)
}

/** A link by note names a commit, so the new commit gets one as well. One that was squashed gets several. */
async function carryNotes({ clock }: Recorder, git: GitSession, renames: Renames): Promise<void> {
  const parent = (await git.objects.info(notesRef))?.oid
  if (parent === undefined) return
  const links = await readNotesOf(git.objects, [...renames.keys(), ...renames.values()])
  const wanted = new Map<string, Set<string>>()
  for (const [before, after] of renames)
    for (const id of links.get(before) ?? []) wanted.set(after, (wanted.get(after) ?? new Set()).add(id))
  const changes = [...wanted].flatMap(([commit, ids]): TreeChange[] => {
    const all = new Set([...(links.get(commit) ?? []), ...ids])
    if (all.size === (links.get(commit) ?? []).length) return []
    const text = [...all].map((id) => `${checkpointTrailer}: ${id}\n`).join('\n')
    return [{ path: commit, mode: '100644', content: Buffer.from(text) }]
  })
  if (changes.length === 0) return
  git.writes().commit({
    ref: notesRef,
    parent,
    message: `Carry ${countOf(changes.length, 'link')} to rewritten commits\n`,
    author: (await git.config()).author,
    seconds: Math.floor(clock().getTime() / 1000),
    changes,
  })
  await git.commit()
}

// Branches move first: a session may name its old base for a moment, but never a branch that does not exist
// yet.
async function follow(recorder: Recorder, renames: Renames): Promise<void> {
  const { repo } = recorder
  await using git = openGit(repo)
  const live = readLive(repo)
  const moves = new Map<string, RefMove[]>()
  const followers: Session[] = []
  for (const [id, entry] of live.sessions) {
    const to = renames.get(entry.base)
    const session = to === undefined ? undefined : readSession(repo, id)
    if (to === undefined || session === undefined) continue
    const [from, target] = [shadowRef(entry.base, session.worktreeId), shadowRef(to, session.worktreeId)]
    const [tip, taken] = [await git.objects.info(from), await git.objects.info(target)]
    if (tip !== undefined && taken !== undefined && from !== target) continue
    if (tip !== undefined && from !== target)
      moves.set(from, [
        { ref: target, to: tip.oid, from: undefined },
        { ref: from, to: undefined, from: tip.oid },
      ])
    if (tip === undefined && taken === undefined)
      session.attributionBase = renames.get(session.attributionBase) ?? session.attributionBase
    session.baseCommit = to
    if (session.turnHead !== undefined) session.turnHead = renames.get(session.turnHead) ?? session.turnHead
    followers.push(session)
  }
  await carryNotes(recorder, git, renames)
  await git.moveRefs([...moves.values()].flat())
  for (const session of followers) {
    writeSession(repo, session)
    updateLive(live, session)
  }
  const link = live.lastLink && renames.get(live.lastLink.commit)
  if (live.lastLink !== undefined && link !== undefined) live.lastLink = { ...live.lastLink, commit: link }
  writeLive(repo, live)
  const base = live.lastStep?.head ?? ''
  const head = renames.get(base)
  if (head !== undefined) await clearStateBefore(recorder, git, live, { base, head })
}
