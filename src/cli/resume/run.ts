// One run of resuming, whatever was named.

import { readObjects } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import type { Cli } from '../context.ts'
import { createRecorder } from '../recorder.ts'
import { resumeBranch } from './branch.ts'
import type { ResumeFlags, Run } from './restore.ts'
import { resumeCheckpoint, resumeSession } from './stored.ts'
import { findSession, findTarget, pickTarget, type Target } from './target.ts'

/** Without a name: a picker on a terminal, else the branch that is checked out. */
export async function resume(
  cli: Cli,
  repo: Repo,
  typed: string | undefined,
  flags: ResumeFlags,
): Promise<void> {
  await withRun(cli, repo, flags, async (run) => {
    if (typed !== undefined) return findTarget(run, typed)
    return cli.interactive && !flags.json
      ? pickTarget(run)
      : { kind: 'branch', name: undefined, isLocal: true }
  })
}

export async function resumeOneSession(
  cli: Cli,
  repo: Repo,
  typed: string,
  flags: ResumeFlags,
): Promise<void> {
  await withRun(cli, repo, flags, (run) => findSession(run, typed))
}

async function withRun(
  cli: Cli,
  repo: Repo,
  flags: ResumeFlags,
  find: (run: Run) => Promise<Target | undefined>,
): Promise<void> {
  await using objects = readObjects(repo)
  const run: Run = { cli, repo, objects, recorder: createRecorder(repo, { component: 'resume' }), flags }
  const target = await find(run)
  if (target?.kind === 'branch') await resumeBranch(run, target)
  if (target?.kind === 'session') await resumeSession(run, target)
  if (target?.kind === 'checkpoint') await resumeCheckpoint(run, target)
}
