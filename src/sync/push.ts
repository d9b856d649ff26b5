// Checkpoints travel with the user's push. A remote that has others is merged with, never overwritten; one that cannot be reached never fails the push.

import { metadataBranch, metadataRef, notesRef } from '../checkpoints/layout.ts'
import { pushRefs, type RefSync, syncRef } from '../checkpoints/sync-ref.ts'
import type { RepoConfig } from '../git/config.ts'
import { git } from '../git/exec.ts'
import type { Repo } from '../git/repo.ts'
import { type CheckpointRemote, providerHosts } from '../model/settings.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { openGit } from '../sessions/git-session.ts'
import { describeCheckpointRemote, settingsPaths } from '../settings/read.ts'
import { messageOf } from '../std/errors.ts'
import { dequeue, readQueue } from './queue.ts'

const chunkSize = 200

/** `pushing`: what git is about to push, as it tells the hook; what the user pushes anyway must not be pushed twice. */
export async function pushCheckpoints(recorder: Recorder, remote: string, pushing: string): Promise<void> {
  const { repo, settings, say, clock } = recorder
  if (!settings.pushSessions || remote === '') return
  const target = await findPushTarget(repo, remote, settings.checkpointRemote)
  if (typeof target === 'string') return say(`[entire] Checkpoints were not pushed: ${target}.`)
  await using git = openGit(repo)
  const sync = { ...target, repo, objects: git.objects, say, author: (await git.config()).author, clock }
  const theirs = new Set(
    target.remote === remote ? pushing.split('\n').map((line) => line.split(' ')[2]) : [],
  )
  for (const ref of [metadataRef, notesRef].filter((name) => !theirs.has(name)))
    await guarded(recorder, target.label, ref, () => syncRef({ ...sync, ref }))
  await guarded(recorder, target.label, 'refs/entire/checkpoints', () => pushQueue(recorder, sync))
}

async function guarded(
  { say, log }: Recorder,
  remote: string,
  what: string,
  act: () => Promise<unknown>,
): Promise<void> {
  try {
    await act()
  } catch (error) {
    say(`[entire] Warning: couldn't sync sessions: ${messageOf(error)}`)
    log.write('warn', messageOf(error), { remote, what })
  }
}

async function pushQueue({ repo }: Recorder, sync: Omit<RefSync, 'ref'>): Promise<void> {
  const queued = readQueue(repo)
  const infos = await Promise.all(queued.map((ref) => sync.objects.info(ref)))
  const gone = queued.filter((_, index) => infos[index] === undefined)
  const refs = queued.filter((_, index) => infos[index] !== undefined)
  if (gone.length > 0) await dequeue(repo, gone)
  for (let at = 0; at < refs.length; at += chunkSize) {
    const chunk = refs.slice(at, at + chunkSize)
    if (at === 0) sync.say(`[entire] Pushing ${refs.length} checkpoint(s) to ${sync.label}...`)
    if ((await pushRefs(sync, chunk)) === undefined) await dequeue(repo, chunk)
    else if (!(await pushOneByOne(repo, sync, chunk))) return
  }
}

/** Each alone, merging where the remote has something else. False when not even one arrives: then nothing would. */
async function pushOneByOne(
  repo: Recorder['repo'],
  sync: Omit<RefSync, 'ref'>,
  refs: string[],
): Promise<boolean> {
  for (const ref of refs) {
    if (!(await syncRef({ ...sync, ref }))) return false
    await dequeue(repo, [ref])
  }
  return true
}

// Where a push takes the checkpoints: along with it, or to the place that is set for them.

export interface PushTarget {
  remote: string
  /** What to call it before people. */
  label: string
  /** Names the place where it is noted what a remote without a name has. */
  tracking?: string
}

/** A text instead of a target says why nothing is pushed. */
export async function findPushTarget(
  repo: Repo,
  remote: string,
  wanted: CheckpointRemote | undefined,
): Promise<PushTarget | string> {
  if (wanted === undefined) return { remote, label: remote }
  if (wanted.kind === 'refused') return wanted.why
  if (wanted.kind === 'remote') return { remote: wanted.name, label: wanted.name }
  if (wanted.kind === 'url')
    return (await isTracked(repo, settingsPaths.local))
      ? `${settingsPaths.local} is committed, so it is not yours alone`
      : byUrl(wanted.url)
  const pushUrl = await readPushUrl(repo, remote)
  const depth = wanted.repo.split('/').length
  const owner = ownerOf(pushUrl, depth)
  // The owner of a fork is somebody else: they can neither write there, nor have they asked to.
  if (owner !== ownerOf(wanted.repo, depth))
    return `${describeCheckpointRemote(wanted)} does not belong to ${owner || 'the owner of this remote'}`
  const host = providerHosts[wanted.provider]
  return byUrl(
    /^https?:/.test(pushUrl) ? `https://${host}/${wanted.repo}.git` : `git@${host}:${wanted.repo}.git`,
  )
}

function byUrl(url: string): PushTarget {
  const tracking = `url-${new Bun.CryptoHasher('sha256').update(url).digest('hex').slice(0, 12)}`
  return { remote: url, label: 'checkpoint remote', tracking }
}

async function readPushUrl(repo: Repo, remote: string): Promise<string> {
  const { code, stdout } = await git(repo, ['remote', 'get-url', '--push', '--', remote], {
    accept: [2, 128],
  })
  return code === 0 ? stdout.toString('utf8').trim() : remote
}

async function isTracked(repo: Repo, path: string): Promise<boolean> {
  return (await git(repo, ['ls-files', '-z', '--', path])).stdout.length > 0
}

/** `owner` of `https://host/owner/repo.git`, `git@host:owner/repo` or `owner/repo`; on some hosts it has several parts. */
function ownerOf(url: string, depth: number): string {
  return url.toLowerCase().replace(/\/+$/, '').split(/[/:]/).slice(-depth, -1).join('/')
}

// Where checkpoints will travel with the next push, and how many of them wait for it. Nothing here talks to a remote.

export type PushSource = 'observed' | 'default' | 'sole' | 'first'

export interface PushRemote {
  remote: string
  /** What made it the one. */
  source: PushSource
}

type PushConfig = Pick<RepoConfig, 'remotes' | 'pushKeys'>

/** The remote that `git push` takes; undefined when there is none. `branch`: the one that is checked out. */
export function electRemote(
  { remotes, pushKeys }: PushConfig,
  branch: string | undefined,
): PushRemote | undefined {
  // The order in which git itself decides. https://git-scm.com/docs/git-config#Documentation/git-config.txt-branchnamepushRemote
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

/** Whether the answer depends on the branch that is checked out. */
export function dependsOnBranch({ pushKeys }: PushConfig): boolean {
  return Object.keys(pushKeys).some((key) => key.startsWith('branch.'))
}

const mostCounted = 10_000

/** Checkpoints that are new or changed since the last push there, as far as this clone knows. */
export async function countUnpushed(
  repo: Repo,
  target: { remote: string; tracking?: string },
): Promise<number> {
  const known =
    target.tracking === undefined
      ? `refs/remotes/${target.remote}`
      : `refs/entire-remotes/${target.tracking}/heads`
  // A name with a bracket is a pattern, and a pattern may match nothing.
  const branch = metadataBranch.replace(/1$/, '[1]')
  const revisions = [`--branches=${branch}`, '--not', `--glob=${known}/${branch}`]
  // GIT_FLUSH=0: all at once instead of commit by commit, which is slow to read. https://git-scm.com/docs/git#Documentation/git.txt-GITFLUSH
  const { stdout } = await git(
    repo,
    ['rev-list', '--format=%s', '--no-commit-header', `--max-count=${mostCounted}`, ...revisions],
    {
      env: { GIT_FLUSH: '0' },
    },
  )
  const ids = [...stdout.toString('utf8').matchAll(/^[^\n]*\bcheckpoint:? ([0-9a-f]{12})\b/gim)].map(
    (match) => match[1],
  )
  return new Set([...ids, ...readQueue(repo)]).size
}
