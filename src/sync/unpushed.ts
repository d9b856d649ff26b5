// Finds where the next push takes checkpoints, and how many are waiting for it, without talking to a remote.

import { metadataBranch } from '../checkpoints/layout.ts'
import type { RepoConfig } from '../git/config.ts'
import { git } from '../git/exec.ts'
import type { Repo } from '../git/repo.ts'
import { readQueue } from './queue.ts'

export type PushSource = 'observed' | 'default' | 'sole' | 'first'

export interface PushRemote {
  remote: string
  /** Why it is this one. */
  source: PushSource
}

type PushConfig = Pick<RepoConfig, 'remotes' | 'pushKeys'>

/** The remote that `git push` takes for the checked-out branch; undefined when there is none. */
export function electRemote(
  { remotes, pushKeys }: PushConfig,
  branch: string | undefined,
): PushRemote | undefined {
  // Git decides in this order.
  // https://git-scm.com/docs/git-config#Documentation/git-config.txt-branchnamepushRemote
  const observed =
    pushKeys[`branch.${branch}.pushremote`] ??
    pushKeys['remote.pushdefault'] ??
    pushKeys[`branch.${branch}.remote`]
  if (observed !== undefined && remotes.includes(observed)) return { remote: observed, source: 'observed' }
  if (remotes.includes('origin')) return { remote: 'origin', source: 'default' }
  return remotes[0] === undefined
    ? undefined
    : { remote: remotes[0], source: remotes.length === 1 ? 'sole' : 'first' }
}

/** True when the remote depends on the branch that is checked out. */
export function dependsOnBranch({ pushKeys }: PushConfig): boolean {
  return Object.keys(pushKeys).some((key) => key.startsWith('branch.'))
}

const maxCounted = 10_000

/** The number of checkpoints that are new or changed since the last push there, as this clone knows it. */
export async function countUnpushed(
  repo: Repo,
  target: { remote: string; tracking?: string },
): Promise<number> {
  const known =
    target.tracking === undefined
      ? `refs/remotes/${target.remote}`
      : `refs/entire-remotes/${target.tracking}/heads`
  // A bracket makes the name a pattern, and a pattern may match nothing.
  const branch = metadataBranch.replace(/1$/, '[1]')
  const revisions = [`--branches=${branch}`, '--not', `--glob=${known}/${branch}`]
  // GIT_FLUSH=0: git writes large blocks instead of single commits, which are slow to read.
  // https://git-scm.com/docs/git#Documentation/git.txt-GITFLUSH
  const { stdout } = await git(
    repo,
    ['rev-list', '--format=%s', '--no-commit-header', `--max-count=${maxCounted}`, ...revisions],
    { env: { GIT_FLUSH: '0' } },
  )
  const ids = [...stdout.toString('utf8').matchAll(/^[^\n]*\bcheckpoint:? ([0-9a-f]{12})\b/gim)].map(
    (match) => match[1],
  )
  return new Set([...ids, ...readQueue(repo)]).size
}
