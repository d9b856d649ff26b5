// Resumes a branch. Everything is read and asked before the branch is switched, so that a no changes nothing.

import { type Branches, readBranches, switchBranch, switchToRemoteBranch } from '../../git/branches.ts'
import { fetchRefs } from '../../git/remote.ts'
import { readStatus } from '../../git/status.ts'
import { type BranchCheckpoint, findBranchCheckpoint, readNewestCheckpoint } from '../../resume/find.ts'
import { EntireError } from '../../std/errors.ts'
import { clean } from '../render/text.ts'
import { finishRestore, type PreparedRestore, prepareRestore, printReport } from './restore.ts'
import { fetchMissing, isAgreed, noteLines, type ResumeRun } from './resume-run.ts'

export interface BranchTarget {
  kind: 'branch'
  /** Undefined for the current HEAD. */
  name: string | undefined
  isLocal: boolean
}

export async function resumeBranch(run: ResumeRun, { name, isLocal }: BranchTarget): Promise<void> {
  const branches = await readBranches(run.repo)
  const isHere = name === undefined || name === branches.current
  if (!isHere) await requireClean(run)
  if (!isHere && !isLocal && !(await fetchBranch(run, name))) return cancelled(run)
  const label = name ?? branches.current ?? 'HEAD'
  const found = await findBranchCheckpoint(run.repo, run.objects, revisionOf(branches, name, isHere, isLocal))
  if (found !== undefined && !(await acceptOlder(run, found))) return cancelled(run)
  const prepared = found && (await prepare(run, found))
  if (prepared === 'cancelled') return
  if (!isHere) await switchTo(run, name, isLocal)
  if (prepared !== undefined && prepared !== 'missing')
    return finishRestore(run, prepared, name ?? branches.current)
  noteLines(run, ...missingLines(label, found))
  printReport(run, { branch: name ?? branches.current, checkpoint: found?.checkpoints[0], logs: [] })
}

function revisionOf(branches: Branches, name: string | undefined, isHere: boolean, isLocal: boolean) {
  const rev = isHere ? 'HEAD' : `refs/${isLocal ? 'heads' : 'remotes/origin'}/${name}`
  return { rev, name: name ?? branches.current, branches }
}

function cancelled(run: ResumeRun): void {
  noteLines(run, 'Resume cancelled.')
}

// Untracked files are kept: git refuses to overwrite them.
async function requireClean({ repo }: ResumeRun): Promise<void> {
  const { modified, deleted } = await readStatus(repo)
  if (modified.length + deleted.length === 0) return
  throw new EntireError(
    'uncommitted-changes',
    'you have uncommitted changes. Please commit or stash them first',
    {
      hint: '`git stash` sets them aside, and `git stash pop` restores them.',
    },
  )
}

async function fetchBranch(run: ResumeRun, name: string): Promise<boolean> {
  if (!(await isAgreed(run, { message: `Branch '${clean(name)}' not found locally. Fetch from origin?` })))
    return false
  noteLines(run, `Fetching branch '${clean(name)}' from origin...`)
  const ref = `+refs/heads/${name}:refs/remotes/origin/${name}`
  const result = await fetchRefs(run.repo, 'origin', [ref], { mayAsk: run.cli.interactive, tags: true })
  if (result.kind === 'fetched') return true
  const why = result.kind === 'absent' ? 'origin no longer has it' : result.why
  throw new EntireError('git-failed', `Branch '${clean(name)}' could not be fetched: ${clean(why)}`, {
    hint: '`git fetch origin` shows the details.',
  })
}

async function acceptOlder(run: ResumeRun, { commit, newer }: BranchCheckpoint): Promise<boolean> {
  if (newer === 0) return true
  noteLines(
    run,
    'Found checkpoint in an older commit.',
    `There are ${newer} newer commit(s) on this branch without checkpoints.`,
    `Checkpoint from: ${commit.oid.slice(0, 7)} ${clean(commit.subject)}`,
    '',
  )
  return isAgreed(run, { message: 'Resume from this older checkpoint?' })
}

async function prepare(
  run: ResumeRun,
  { checkpoints }: BranchCheckpoint,
): Promise<PreparedRestore | 'missing' | 'cancelled'> {
  const stored =
    (await readNewestCheckpoint(run.objects, checkpoints)) ?? (await fetchNewest(run, checkpoints))
  if (stored === undefined) return 'missing'
  return (await prepareRestore(run, stored)) ?? 'cancelled'
}

async function fetchNewest(run: ResumeRun, checkpoints: string[]) {
  for (const id of checkpoints) {
    if (await fetchMissing(run, id)) return readNewestCheckpoint(run.objects, checkpoints)
  }
  return undefined
}

async function switchTo(run: ResumeRun, name: string, isLocal: boolean): Promise<void> {
  const failure = await (isLocal ? switchBranch : switchToRemoteBranch)(run.repo, name)
  if (failure !== undefined)
    throw new EntireError(
      'git-failed',
      `Failed to checkout branch: ${failure.split('\n').map(clean).join('\n')}`,
      {
        hint: 'Nothing was changed.',
      },
    )
  noteLines(run, `Switched to branch '${clean(name)}'`)
}

function missingLines(branch: string, found: BranchCheckpoint | undefined): string[] {
  if (found === undefined) return [`No Entire checkpoint found on branch '${clean(branch)}'`]
  return [
    `Checkpoint '${found.checkpoints[0]}' found in commit but session metadata not available`,
    'The entire/checkpoints/v1 branch may not exist locally or on the remote.',
  ]
}
