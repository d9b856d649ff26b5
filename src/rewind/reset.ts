// Resets branch, files and index to a commit, as `git reset` does, after a safety step has saved all of it.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { git as runGit } from '../git/exec.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import type { Status } from '../git/status.ts'
import { submoduleMode } from '../git/tree.ts'
import { diffTrees } from '../git/tree-diff.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { EntireError } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { writePoint } from '../std/kill-point.ts'
import { type Disk, filesBelow, findUnchanged, isCopyable, isFileLike, readTreeEntries } from './disk.ts'
import {
  type LockedWorktree,
  type RewindOptions,
  readHeadStatus,
  uninterrupted,
  withLockedWorktree,
} from './locked-worktree.ts'
import type { RewindPlan } from './plan.ts'
import { headOf, rollBackOnFailure } from './restore-state.ts'
import { pushUndo, type RefChange, readStacks, saveSafety, writeStacks } from './safety-step.ts'
import { readIndex } from './saved-index.ts'
import type { SavedLog } from './saved-log.ts'
import { saveSessions, sessionsHere, settleSessions } from './sessions.ts'

export interface ResetReport extends RewindPlan {
  head: RefChange
}

export interface ResetOptions extends RewindOptions {
  /** The mode of `git reset`. `keep` refuses to overwrite uncommitted changes. */
  mode: 'hard' | 'keep'
  /** Logs that were replaced before the reset. */
  logs: SavedLog[]
}

export async function resetTo(recorder: Recorder, commit: Oid, options: ResetOptions): Promise<ResetReport> {
  refuseDuringOperation(recorder.repo)
  return withLockedWorktree(recorder, async (worktree) => {
    const reset = await planReset(worktree, commit)
    const report: ResetReport = { ...reset.files, head: reset.head }
    if (!options.dryRun) await resetWorktree(worktree, reset, options)
    return report
  })
}

const operations = {
  MERGE_HEAD: 'A merge',
  CHERRY_PICK_HEAD: 'A cherry-pick',
  REVERT_HEAD: 'A revert',
  'rebase-merge': 'A rebase',
  'rebase-apply': 'A rebase',
}

// A reset would delete the state that git keeps of the operation.
function refuseDuringOperation(repo: Repo): void {
  const found = Object.entries(operations).find(([name]) => existsSync(join(repo.gitDir, name)))
  if (found !== undefined)
    throw new EntireError('busy', `${found[1]} is in progress: its state would be lost.`, {
      hint: 'Finish or abort it first.',
    })
}

interface Reset {
  head: RefChange
  files: RewindPlan
  status: Status
  /** Tracked paths that change, and those with uncommitted changes. */
  paths: string[]
  /** Untracked files in the way of the commit's. */
  obstacles: string[]
}

async function planReset({ recorder, git, disk }: LockedWorktree, commit: Oid): Promise<Reset> {
  const { repo } = recorder
  const { status, head } = await readHeadStatus(git)
  const differences = await diffTrees(repo, `${head}^{tree}`, `${commit}^{tree}`)
  const differing = differences.filter(({ entry }) => entry?.mode !== submoduleMode).map(({ path }) => path)
  const paths = [...new Set([...differing, ...status.modified, ...status.deleted])].sort()
  const entries = await readTreeEntries(git.objects, commit, paths)
  const obstacles = findObstacles(disk, [...entries.keys()])
  const unchanged = await findUnchanged(repo, disk, entries)
  const deleted = paths.filter((path) => !entries.has(path) && isFileLike(disk.at(path)))
  return {
    head: { ref: headOf(status).ref, before: head, after: commit },
    files: {
      restore: paths.filter((path) => entries.has(path) && !unchanged.has(path)),
      remove: [...deleted, ...obstacles],
      skip: [],
    },
    status,
    paths,
    obstacles,
  }
}

/**
 * Untracked or ignored files where the commit has a file or a directory: git would replace them without
 * asking.
 */
function findObstacles(disk: Disk, paths: string[]): string[] {
  const obstacles = new Set<string>()
  for (const path of paths) {
    const found = disk.at(path)
    if (found.kind === 'in-other-repo') throw otherRepository(found.parent)
    if (found.kind === 'below-file') obstacles.add(found.parent)
    if (found.kind !== 'directory') continue
    if (disk.at(`${path}/.git`).kind !== 'absent') throw otherRepository(path)
    for (const file of filesBelow(disk.root, path)) {
      if (file.endsWith('/')) throw otherRepository(file)
      obstacles.add(file)
    }
  }
  return [...obstacles]
}

function otherRepository(path: string): EntireError {
  return new EntireError('write-failed', `${path} is another repository, and the commit has files there.`, {
    hint: 'Move it away and try again.',
  })
}

async function resetWorktree(
  worktree: LockedWorktree,
  { head, status, paths, obstacles }: Reset,
  options: ResetOptions,
): Promise<void> {
  const { repo } = worktree.recorder
  const { copied, committed } = splitBySize(worktree.disk, status, [...paths, ...obstacles])
  const [{ index, staged }, stacks] = await Promise.all([readIndex(repo), readStacks(repo)])
  const sessions = sessionsHere(repo, undefined)
  const safety = await saveSafety(
    worktree,
    {
      kind: 'reset',
      paths: copied,
      committed,
      head,
      sessions: saveSessions(repo, sessions),
      logs: options.logs,
    },
    { commits: [head.before], staged, ...given({ index }) },
  )
  await uninterrupted(async () => {
    writeStacks(repo, pushUndo(stacks, safety.oid))
    await rollBackOnFailure(worktree, safety, () => runReset(repo, head.after, options.mode))
    settleSessions(repo, sessions, {
      changed: new Set(paths),
      differing: new Set(),
      dropped: new Map(),
      isBeforeTurn: false,
    })
  })
}

/** Large files that are as HEAD has them are not copied. */
function splitBySize(disk: Disk, status: Status, paths: string[]): { copied: string[]; committed: string[] } {
  const dirty = new Set([...status.modified, ...status.deleted])
  const isInHead = (path: string) => {
    const found = disk.at(path)
    return found.kind === 'file' && !dirty.has(path) && !isCopyable(disk.root, path, found)
  }
  const distinct = [...new Set(paths)]
  return { copied: distinct.filter((path) => !isInHead(path)), committed: distinct.filter(isInHead) }
}

async function runReset(repo: Repo, commit: Oid, mode: ResetOptions['mode']): Promise<void> {
  writePoint()
  // Without it, git rewrites files that are unchanged but whose times it does not know.
  await runGit(repo, ['update-index', '--refresh'], { accept: [1] })
  // Submodules are repositories with work of their own. https://git-scm.com/docs/git-reset
  await runGit(repo, ['reset', '--quiet', '--no-recurse-submodules', `--${mode}`, commit])
  writePoint()
}
