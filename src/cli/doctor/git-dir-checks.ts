// Checks the git directory: unreadable session states, stale locks, commits recorded only in part.

import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { discard, emptyPlan } from '../../cleanup/clean.ts'
import { completeCommit } from '../../commits/complete.ts'
import { isUnfinished, readPending, rewriteFile } from '../../commits/pending.ts'
import { readCommit } from '../../git/commit.ts'
import { readCheckpointIds } from '../../git/trailers.ts'
import { megabyte } from '../../model/settings.ts'
import { sweep } from '../../recording/housekeeping.ts'
import { keptRefDays } from '../../sessions/kept-refs.ts'
import { listSessionHeads } from '../../sessions/list.ts'
import { lockFile } from '../../sessions/save.ts'
import { sessionsDir } from '../../sessions/store.ts'
import { listWorktrees, lockWorktrees } from '../../sessions/worktrees.ts'
import { fileSize, findStat, readText, removeFile } from '../../std/file.ts'
import { isStale, takeLock } from '../../std/lock.ts'
import { countOf } from '../../std/plural.ts'
import type { DoctorRun, Finding, Remedy } from './finding.ts'

export async function checkStates({ repo, recorder }: DoctorRun): Promise<Finding[]> {
  const bad = listSessionHeads(repo).unreadable.map((id) => `${id}.json`)
  const names = [...bad, ...list(sessionsDir(repo)).filter((name) => name.endsWith('.json.corrupt'))]
  const paths = [...new Set(names)]
    .map((name) => join(sessionsDir(repo), name))
    .filter((path) => existsSync(path))
  return paths.map((path): Finding => {
    const remedy: Remedy = {
      label: 'Remove it',
      async apply() {
        const plan = { ...emptyPlan(), unreadable: [path] }
        await discard(recorder, 'doctor', plan, () => plan)
        return [
          `Removed ${relative(repo.commonDir, path)}`,
          `It is kept for ${keptRefDays} days: entire clean --undo restores it.`,
        ]
      },
    }
    return {
      id: 'state-unreadable',
      subject: path.slice(path.lastIndexOf('/') + 1).replace(/\.json(?:\.corrupt)?$/, ''),
      severity: 'warning',
      title: `The state of a session cannot be read: ${relative(repo.commonDir, path)}.`,
      detail: [
        'If the session continues, it starts with a new state. Steps and checkpoints are not affected.',
      ],
      fix: `Look at ${path}; \`entire doctor --force\` removes it.`,
      remedies: [remedy],
    }
  })
}

const staleLockMs = 60_000

export async function checkLocks({ repo, now }: DoctorRun): Promise<Finding[]> {
  const own = listWorktrees(repo).flatMap((place) => [lockFile(place), `${lockFile(place)}.takeover`])
  const queue = join(repo.commonDir, 'entire-checkpoint-push-queue.jsonl.lock')
  const locks = [...own, queue].filter((path) => existsSync(path))
  const stale = [...locks.filter(isStale), ...findRefLocks(repo.commonDir, now)]
  const held = locks.filter((path) => !stale.includes(path) && ageOf(path, now) > staleLockMs)
  const remedy: Remedy = {
    label: 'Remove them',
    async apply() {
      // Taking a stale lock replaces it, and releasing the lock removes the file.
      using _queue = await takeLock(queue, { waitMs: 10_000 })
      using _locks = await lockWorktrees(listWorktrees(repo))
      for (const place of listWorktrees(repo)) sweep(place)
      return [`Removed ${countOf(stale.length, 'lock')}`]
    },
  }
  const abandoned: Finding = {
    id: 'stale-lock',
    severity: 'warning',
    title: 'Processes that no longer run have left locks behind.',
    detail: stale.map((path) => relative(repo.commonDir, path)),
    fix: 'The next turn removes them; `entire doctor --force` does it now.',
    remedies: [remedy],
  }
  return [
    ...(stale.length === 0 ? [] : [abandoned]),
    ...held.map(
      (path): Finding => ({
        id: 'lock-held',
        severity: 'warning',
        title: `A process has held ${relative(repo.commonDir, path)} for ${Math.round(ageOf(path, now) / 60_000)} minutes.`,
        detail: [`Process and host: ${readText(path)?.trim() ?? 'unknown'}`],
        fix: 'If that process hangs, end it.',
        remedies: [],
      }),
    ),
  ]
}

// Locks of the refs of entire. Git holds such a lock only for a few system calls.
function findRefLocks(commonDir: string, now: Date): string[] {
  const refs = join(commonDir, 'refs', 'heads', 'entire')
  const dirs = [refs, join(refs, 'checkpoints')]
  const found = dirs.flatMap((dir) => list(dir).map((name) => join(dir, name)))
  return found.filter((path) => path.endsWith('.lock') && ageOf(path, now) > 10_000)
}

// How long writing a commit message may take.
const messageMs = 10 * 60 * 1000

export async function checkPending({ repo, recorder, now }: DoctorRun): Promise<Finding[]> {
  if (!isUnfinished(repo) || existsSync(lockFile(repo))) return []
  const pending = readPending(repo)[0]
  // The note of a commit without a link is cleared by the next event.
  if (pending === undefined && !existsSync(rewriteFile(repo))) return []
  const isOld = pending === undefined || now.getTime() - pending.at > messageMs
  if (!isOld && !existsSync(rewriteFile(repo)) && !(await isAtHead())) return []
  const remedy: Remedy = {
    label: 'Complete it now',
    async apply() {
      using _lock = await takeLock(lockFile(repo), { waitMs: 10_000 })
      await completeCommit(recorder)
      return [
        `Completed ${pending === undefined ? 'a rewritten commit' : `the commit of checkpoint ${pending.checkpoint}`}`,
      ]
    },
  }
  return [
    {
      id: 'commit-unfinished',
      severity: 'warning',
      title: 'A commit is not recorded yet: its hook died, or could not wait for another process.',
      detail: pending === undefined ? [] : [`Checkpoint: ${pending.checkpoint}`],
      fix: 'The next turn completes it; `entire doctor --force` does it now.',
      remedies: [remedy],
    },
  ]

  async function isAtHead(): Promise<boolean> {
    const head = await readCommit(repo, 'HEAD')
    return head !== undefined && readCheckpointIds(head.message).includes(pending?.checkpoint ?? '')
  }
}

function ageOf(path: string, now: Date): number {
  return now.getTime() - (findStat(path)?.mtimeMs ?? now.getTime())
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

// Git's own limit is two weeks. A file that git is writing is younger than this.
const temporaryPackMs = 24 * 60 * 60_000

/** Finds what killed git processes have left beside the packs. Nothing refers to these files. */
export async function checkTemporaryPacks({ repo, now }: DoctorRun): Promise<Finding[]> {
  const dir = join(repo.commonDir, 'objects', 'pack')
  const find = () =>
    list(dir)
      .filter((name) => /^tmp_(?:pack|idx|rev)_/.test(name))
      .map((name) => join(dir, name))
      .filter((path) => ageOf(path, now) > temporaryPackMs)
  const paths = find()
  if (paths.length === 0) return []
  const megabytes = Math.ceil(paths.reduce((sum, path) => sum + (fileSize(path) ?? 0), 0) / megabyte)
  const remedy: Remedy = {
    label: 'Remove them',
    async apply() {
      const old = find()
      for (const path of old) removeFile(path)
      return [`Removed ${countOf(old.length, 'temporary file')}`]
    },
  }
  return [
    {
      id: 'temporary-packs',
      severity: 'warning',
      title: `Git processes that were killed have left ${countOf(paths.length, 'file')} behind (${megabytes} MB).`,
      detail: paths.map((path) => relative(repo.commonDir, path)),
      fix: '`git gc` removes them when they are two weeks old; `entire doctor --force` does it now.',
      remedies: [remedy],
    },
  ]
}

// A commit holds the lock of the index while its message is being written.
const staleGitLockMs = 10 * 60_000

/** Finds old locks of git itself. They are only reported: only the user can know that no git is running. */
export async function checkGitLocks({ repo, now }: DoctorRun): Promise<Finding[]> {
  const own = ['HEAD.lock', 'index.lock'].map((name) => join(repo.gitDir, name))
  const shared = ['packed-refs.lock', 'config.lock', 'shallow.lock', 'reftable/tables.list.lock'].map(
    (name) => join(repo.commonDir, name),
  )
  return [...own, ...shared, ...refLocks(join(repo.commonDir, 'refs'))].flatMap((path): Finding[] => {
    const since = findStat(path)?.mtimeMs
    const minutes = since === undefined ? 0 : Math.round((now.getTime() - since) / 60_000)
    if (since === undefined || now.getTime() - since < staleGitLockMs) return []
    const name = relative(repo.gitDir, path)
    return [
      {
        id: 'git-lock',
        subject: name,
        severity: 'warning',
        title: `A git lock has existed for ${minutes} minutes: ${name}.`,
        detail: ['As long as it exists, git refuses to change what it locks.'],
        fix: `If no git process is running in this repository, run \`rm ${path}\`.`,
        remedies: [],
      },
    ]
  })
}

// Without the locks of shadow branches, which the next turn removes.
function refLocks(refs: string): string[] {
  const all = readdirSync(refs, { recursive: true, encoding: 'utf8' })
  return all
    .filter((name) => name.endsWith('.lock') && !name.startsWith('heads/entire/'))
    .map((name) => join(refs, name))
}
