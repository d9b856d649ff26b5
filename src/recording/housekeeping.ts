// Keeps the repository tidy. At the end of a turn: drops refs that were kept long enough, and merges the
// small packs that saves leave; what takes long runs in the background. At its start: removes what killed processes left behind.

import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gitEnv } from '../git/env.ts'
import { mergePacksCommand } from '../git/merge-packs.ts'
import type { Repo } from '../git/repo.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { expireKeptRefsIfDue } from '../sessions/kept-refs.ts'
import { clearOrphanedLocks } from '../sessions/orphaned-locks.ts'
import { insideWorktree, temporaryDirs } from '../sessions/places.ts'
import { sessionsDir } from '../sessions/store.ts'
import { messageOf } from '../std/errors.ts'
import { findStat, readText, removeFile } from '../std/file.ts'
import { isAlive } from '../std/lock.ts'
import { startDetached } from '../std/process.ts'

export async function tidyUp(recorder: Recorder): Promise<void> {
  // Another process may do the same at the same time, and the turn is recorded in any case.
  await expireKeptRefsIfDue(recorder).catch((error: unknown) =>
    recorder.log.write('warn', 'old trash stays for now', { error: messageOf(error) }),
  )
  await mergePacksIfDue(recorder)
}

// Below the limit of `git gc --auto`, which is 50: git never makes the user wait for these packs.
const packLimit = 20

// The merge runs in a process of its own: the hook does not wait for it.
async function mergePacksIfDue({ repo, log }: Recorder): Promise<void> {
  if (countPacks(join(repo.commonDir, 'objects', 'pack')) <= packLimit) return
  log.write('info', 'merging packs in the background')
  await startDetached(mergePacksCommand(repo), { cwd: repo.root, env: gitEnv(repo.env) })
}

/**
 * Reads on in a long transcript, in a process of its own. If that is killed, the next event reads a piece and starts
 * it again.
 */
export async function startCatchUp({ repo, env }: Recorder, session: string): Promise<void> {
  await startDetached([process.execPath, 'hooks', 'catch-up', session], { cwd: repo.root, env })
}

function countPacks(dir: string): number {
  try {
    return readdirSync(dir).filter((name) => name.endsWith('.pack')).length
  } catch {
    return 0
  }
}

// A write takes milliseconds. Another process may have got the same number since.
const abandonedMs = 600_000
// Subagents work for hours, and a session may lie open over a weekend.
const noteMs = 7 * 24 * 60 * 60 * 1000
// Git holds the lock of a ref for a few system calls.
const refLockMs = 10_000

/** The caller holds the lock of the work tree. */
export function sweep(repo: Repo): void {
  clearOrphanedLocks(repo)
  for (const path of [
    ...insideWorktree(repo, '.entire'),
    ...temporaryDirs(repo),
    ...insideWorktree(repo, '.entire/metadata').flatMap(list).filter(isDirectory),
    sessionsDir(repo),
    repo.gitDir,
  ].flatMap(list)) {
    if (isAbandonedWrite(path) || isAbandonedTakeover(path) || isOwnCrashReport(path) || isOldNote(path))
      removeFile(path)
  }
  const refs = join(repo.commonDir, 'refs', 'heads', 'entire')
  for (const path of [refs, join(refs, 'checkpoints')].flatMap(list)) {
    if (path.endsWith('.lock') && ageOf(path) > refLockMs) removeFile(path)
  }
}

/** Removes temporary files of processes that died while they set up the repository. Needs no lock. */
export function sweepSetup(repo: Repo): void {
  for (const path of [...insideWorktree(repo, '.entire'), repo.gitDir].flatMap(list))
    if (isAbandonedWrite(path)) removeFile(path)
}

// Named as `writeAtomic` names them: other programs write temporary files in the git directory too.
function isAbandonedWrite(path: string): boolean {
  const pid = /(?:\.json|\.txt|\.corrupt|\.gitignore|entire-rewrite|_EDITMSG|_MSG)\.([1-9]\d*)\.tmp$/.exec(
    path,
  )?.[1]
  return pid !== undefined && (!isAlive(Number(pid)) || ageOf(path) > abandonedMs)
}

function isOldNote(path: string): boolean {
  return (
    /[/\\](?:pre-task-[^/\\]+\.json|entire-sessions[/\\][^/\\]+\.model)$/.test(path) && ageOf(path) > noteMs
  )
}

// While this process holds the lock, no other one takes it over.
function isAbandonedTakeover(path: string): boolean {
  if (!/[/\\]entire\.lock\.takeover$/.test(path)) return false
  const pid = Number.parseInt(readText(path) ?? '', 10)
  return !(pid > 0 && isAlive(pid))
}

// An import that lost its writer reports where it was. The user's own imports may have crashed too.
function isOwnCrashReport(path: string): boolean {
  if (!/[/\\]fast_import_crash_\d+$/.test(path)) return false
  const report = readText(path) ?? ''
  return (
    /^[ *] (?:# entire$|(?:commit|reset) refs\/(?:heads\/entire|entire|notes\/entire))/m.test(report) ||
    isEmpty(report)
  )
}

// The writer was killed before it sent a command.
function isEmpty(report: string): boolean {
  return report.includes('stream ends early') && /Before Crash\n-+\n\nActive/.test(report)
}

function ageOf(path: string): number {
  return Date.now() - (findStat(path)?.mtimeMs ?? Date.now())
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir).map((name) => join(dir, name))
  } catch {
    return []
  }
}
