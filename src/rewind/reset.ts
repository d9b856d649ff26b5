// Moving the branch to another commit, files and index with it, as `git reset` does: but all of it is kept first, and can be undone.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { git as runGit } from '../git/exec.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import type { Status } from '../git/status.ts'
import { diffTrees } from '../git/tree.ts'
import { lockFile } from '../sessions/save.ts'
import { openGit, type Recorder } from '../sessions/work.ts'
import { EntireError } from '../std/errors.ts'
import { writePoint } from '../std/fault.ts'
import { given } from '../std/given.ts'
import { takeLock } from '../std/lock.ts'
import { type Disk, filesBelow, findUnchanged, isCopyable, lookAtDisk, readTreeEntries } from './disk.ts'
import type { RewindPlan } from './plan.ts'
import { readIndex } from './restore-state.ts'
import {
  headOf,
  lockWaitMs,
  type RewindOptions,
  readHeadStatus,
  rollBackOnFailure,
  uninterrupted,
} from './rewind.ts'
import { pushUndo, type RefChange, readStacks, saveSafety, writeStacks } from './safety-step.ts'
import type { SavedLog } from './saved-log.ts'
import { saveSessions, sessionsHere, settleSessions } from './sessions.ts'
import { clearStage } from './write-files.ts'

export interface ResetReport extends RewindPlan {
  head: RefChange
}

export interface ResetOptions extends RewindOptions {
  /** `keep`: only where nothing is uncommitted. */
  how: 'hard' | 'keep'
  /** Logs that were replaced for it. */
  logs: SavedLog[]
}

export async function resetTo(recorder: Recorder, commit: Oid, options: ResetOptions): Promise<ResetReport> {
  const { repo } = recorder
  refuseInTheMiddle(repo)
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  clearStage(repo)
  await using git = openGit(repo)
  const disk = lookAtDisk(repo.root)
  const { status, head } = await readHeadStatus(git)
  const differences = await diffTrees(repo, `${head}^{tree}`, `${commit}^{tree}`)
  const dirty = [...status.modified, ...status.deleted]
  const paths = [
    ...new Set([
      ...differences.filter(({ entry }) => entry?.mode !== '160000').map(({ path }) => path),
      ...dirty,
    ]),
  ].sort()
  const entries = await readTreeEntries(git.objects, commit, paths)
  const { obstacles, foreign } = findObstacles(disk, [...entries.keys()])
  if (foreign !== undefined)
    throw new EntireError(
      'write-failed',
      `${foreign} is another repository, where the commit has something else.`,
      {
        hint: 'Move it away and try again.',
      },
    )
  const unchanged = await findUnchanged(repo, disk, entries)
  const isThere = (path: string) => ['file', 'link', 'other'].includes(disk.at(path).kind)
  const plan: RewindPlan = {
    restore: paths.filter((path) => entries.has(path) && !unchanged.has(path)),
    remove: [...paths.filter((path) => !entries.has(path) && isThere(path)), ...obstacles],
    skip: [],
  }
  const report: ResetReport = { ...plan, head: { ref: headOf(status).ref, before: head, after: commit } }
  if (options.dryRun) return report

  const { copied, committed } = splitBySize(disk, status, [...paths, ...obstacles])
  const [{ index, staged }, stacks] = await Promise.all([readIndex(repo), readStacks(repo)])
  const sessions = sessionsHere(repo, undefined)
  const safety = await saveSafety(
    { recorder, git, disk },
    {
      kind: 'reset',
      paths: copied,
      committed,
      head: report.head,
      sessions: saveSessions(repo, sessions),
      logs: options.logs,
    },
    { commits: [head], staged, ...given({ index }) },
  )
  await uninterrupted(async () => {
    writeStacks(repo, pushUndo(stacks, safety.oid))
    await rollBackOnFailure(recorder, git, safety, async () => {
      writePoint()
      // Files whose times git does not know would be written again, although they are as they should be.
      await runGit(repo, ['update-index', '--refresh'], { accept: [1] })
      // Submodules are repositories of their own, with work of their own. https://git-scm.com/docs/git-reset
      await runGit(repo, ['reset', '--quiet', '--no-recurse-submodules', `--${options.how}`, commit])
      writePoint()
    })
    settleSessions(repo, sessions, { changed: new Set(paths), differing: new Set(), dropped: new Map() })
  })
  return report
}

const operations = {
  MERGE_HEAD: 'A merge',
  CHERRY_PICK_HEAD: 'A cherry-pick',
  REVERT_HEAD: 'A revert',
  'rebase-merge': 'A rebase',
  'rebase-apply': 'A rebase',
}

// What git remembers of it, a reset forgets.
function refuseInTheMiddle(repo: Repo): void {
  const found = Object.entries(operations).find(([name]) => existsSync(join(repo.gitDir, name)))
  if (found !== undefined)
    throw new EntireError('busy', `${found[1]} is in progress: its state would be lost.`, {
      hint: 'Finish or abort it first.',
    })
}

// Untracked or ignored files where the commit has a file, or a directory: git would replace them without a word.
function findObstacles(disk: Disk, paths: string[]): { obstacles: string[]; foreign?: string } {
  const obstacles = new Set<string>()
  for (const path of paths) {
    const place = disk.at(path)
    if (place.kind === 'foreign') return { obstacles: [], foreign: place.parent }
    if (place.kind === 'behind') obstacles.add(place.parent)
    if (place.kind !== 'directory') continue
    if (disk.at(`${path}/.git`).kind !== 'absent') return { obstacles: [], foreign: path }
    for (const file of filesBelow(disk.root, path)) {
      if (file.endsWith('/')) return { obstacles: [], foreign: file }
      obstacles.add(file)
    }
  }
  return { obstacles: [...obstacles] }
}

// A large file that is as HEAD has it needs no copy.
function splitBySize(disk: Disk, status: Status, paths: string[]): { copied: string[]; committed: string[] } {
  const dirty = new Set([...status.modified, ...status.deleted])
  const isCommitted = (path: string) => {
    const place = disk.at(path)
    return place.kind === 'file' && !dirty.has(path) && !isCopyable(disk.root, path, place)
  }
  const own = [...new Set(paths)]
  return { copied: own.filter((path) => !isCommitted(path)), committed: own.filter(isCommitted) }
}
