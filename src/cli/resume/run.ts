// Runs `entire resume`: finds the target and resumes it.

import { openObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import type { Cli } from '../context.ts'
import { systemRecorder } from '../recorder.ts'
import { findResumeTarget, findSessionTarget, pickResumeTarget, type ResumeTarget } from './find-target.ts'
import { resumeBranch } from './resume-branch.ts'
import type { ResumeFlags, ResumeRun } from './resume-run.ts'
import { resumeCheckpoint, resumeSession } from './resume-session.ts'

/** Without a name: a picker on a terminal, otherwise the current branch. */
export async function resume(
  cli: Cli,
  repo: Repo,
  typed: string | undefined,
  flags: ResumeFlags,
): Promise<void> {
  await withRun(cli, repo, flags, async (run) => {
    if (typed !== undefined) return findResumeTarget(run, typed)
    return cli.interactive && !flags.json
      ? pickResumeTarget(run)
      : { kind: 'branch', name: undefined, isLocal: true }
  })
}

export async function resumeOneSession(
  cli: Cli,
  repo: Repo,
  typed: string,
  flags: ResumeFlags,
): Promise<void> {
  await withRun(cli, repo, flags, (run) => findSessionTarget(run, typed))
}

async function withRun(
  cli: Cli,
  repo: Repo,
  flags: ResumeFlags,
  find: (run: ResumeRun) => Promise<ResumeTarget | undefined>,
): Promise<void> {
  await using objects = openObjectReader(repo)
  const run: ResumeRun = {
    cli,
    repo,
    objects,
    recorder: systemRecorder(repo, { component: 'resume' }),
    flags,
  }
  const target = await find(run)
  if (target?.kind === 'branch') await resumeBranch(run, target)
  if (target?.kind === 'session') await resumeSession(run, target)
  if (target?.kind === 'checkpoint') await resumeCheckpoint(run, target)
}
