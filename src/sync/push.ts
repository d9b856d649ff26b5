// Pushes checkpoints along with the user's push. Checkpoints of the remote are merged, never overwritten; a
// remote that cannot be reached does not fail the push.

import { metadataRef, notesRef } from '../checkpoints/layout.ts'
import { pushRefs, type RefSync, sayIfSlow, syncRef } from '../checkpoints/sync-ref.ts'
import { readCurrentBranch } from '../git/branches.ts'
import { type ObjectReader, openObjectReader } from '../git/cat-file.ts'
import { type RepoConfig, readConfig } from '../git/config.ts'
import { git } from '../git/exec.ts'
import type { Repo } from '../git/repo.ts'
import { isTracked } from '../git/status.ts'
import { type CheckpointRemote, providerHosts, type Settings } from '../model/settings.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { describeCheckpointRemote } from '../settings/checkpoint-remote.ts'
import { settingsPaths } from '../settings/read.ts'
import { messageOf, notFound } from '../std/errors.ts'
import { countOf } from '../std/plural.ts'
import { isNoObject, type PushedRef } from './pushed-refs.ts'
import { dequeue, readQueue } from './queue.ts'
import { dependsOnBranch, electRemote } from './unpushed.ts'

const chunkSize = 200

export interface UserPush {
  remote: string
  /** Refs that the user pushes anyway are not pushed again. */
  pushed: PushedRef[]
  isForced: boolean
}

export async function pushCheckpoints(recorder: Recorder, push: UserPush): Promise<void> {
  const { remote, pushed } = push
  const { repo, settings, say, clock } = recorder
  if (!settings.pushSessions || remote === '') return
  await using objects = openObjectReader(repo)
  const config = await readConfig(repo)
  const target = await findPushTarget(repo, config, { remote, configured: settings.checkpointRemote })
  if (typeof target === 'string') return say(`[entire] Checkpoints were not pushed: ${target}.`)
  if (await isRejected(repo, objects, push)) return
  const sync = { ...target, repo, objects, say, author: config.author, clock }
  const pushedByUser = new Set(target.remote === remote ? pushed.map((ref) => ref.remote) : [])
  for (const ref of [metadataRef, notesRef].filter((name) => !pushedByUser.has(name)))
    await warnOnFailure(recorder, target.label, ref, () => syncRef({ ...sync, ref }))
  await warnOnFailure(recorder, target.label, 'refs/entire/checkpoints', () => pushQueue(recorder, sync))
}

/** Why the user's own push must not take checkpoints to this remote; undefined when it is the one for them. */
export async function whyNotThere(
  repo: Repo,
  settings: Pick<Settings, 'pushSessions' | 'checkpointRemote'>,
  remote: string,
): Promise<string | undefined> {
  if (!settings.pushSessions) return 'the settings say not to push them'
  const config = await readConfig(repo)
  const target = await findPushTarget(repo, config, { remote, configured: settings.checkpointRemote })
  if (typeof target === 'string') return target
  return target.remote === remote ? undefined : `they are pushed to ${target.label} only`
}

// Git gives the hook neither refs that it will reject nor refs that the remote has already: then what the remote
// has is known from the last push or fetch. It does give those that it rejects because it does not know the
// remote's commit.
async function isRejected(
  repo: Repo,
  objects: ObjectReader,
  { remote, pushed, isForced }: UserPush,
): Promise<boolean> {
  if (pushed.length > 0) {
    const isKnown = ({ remoteOid }: PushedRef) => isNoObject(remoteOid) || objects.info(remoteOid)
    return !isForced && (await Promise.all(pushed.map(isKnown))).every((known) => !known)
  }
  const branch = await readCurrentBranch(repo)
  const [local, known] = await Promise.all([
    objects.info('HEAD'),
    branch === undefined ? undefined : objects.info(`refs/remotes/${remote}/${branch}`),
  ])
  return known === undefined || known.oid !== local?.oid
}

async function warnOnFailure(
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
    const line = `[entire] Pushing ${countOf(refs.length, 'checkpoint')} to ${sync.label}...`
    const failure = await sayIfSlow(sync, line, () => pushRefs(sync, chunk))
    if (failure === undefined) await dequeue(repo, chunk)
    else if (!(await pushOneByOne(repo, sync, chunk))) return
  }
}

/**
 * Pushes each ref alone, merging where the remote differs. False when one cannot be pushed: then the others
 * cannot, either.
 */
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

/** Where a push takes the checkpoints: along with it, or to the checkpoint remote in the settings. */
export interface PushTarget {
  remote: string
  /** Its name in messages. */
  label: string
  /** Names the tracking refs of a remote that is given as a URL. */
  tracking?: string
}

export interface PushChoice {
  /** The remote that the user pushes to. */
  remote: string
  /** The checkpoint remote in the settings. */
  configured: CheckpointRemote | undefined
}

/**
 * Finds where checkpoints go: only to a remote that the user has chosen for them, by the settings or as the one
 * that git pushes the branch to. Git takes a name that is not configured for a path, and runs the hooks of a
 * repository there. A string instead of a target is the reason why nothing is pushed.
 */
export async function findPushTarget(
  repo: Repo,
  config: RepoConfig,
  { remote, configured }: PushChoice,
): Promise<PushTarget | string> {
  if (configured === undefined) return await findElected(repo, config, remote)
  if (configured.kind === 'refused') return configured.why
  if (configured.kind === 'remote')
    return config.remotes.includes(configured.name)
      ? { remote: configured.name, label: configured.name }
      : notFound('git remote', configured.name).message
  if (configured.kind === 'url')
    return (await isTracked(repo, settingsPaths.local))
      ? `${settingsPaths.local} is committed, so other people may have set it`
      : byUrl(configured.url)
  const pushUrl = await readPushUrl(repo, remote)
  const depth = configured.repo.split('/').length
  const owner = ownerOf(pushUrl, depth)
  // The owner of a fork can neither write to that repository nor has asked to.
  if (owner !== ownerOf(configured.repo, depth))
    return `${describeCheckpointRemote(configured)} does not belong to ${owner || 'the owner of this remote'}`
  const host = providerHosts[configured.provider]
  return byUrl(
    /^https?:/.test(pushUrl)
      ? `https://${host}/${configured.repo}.git`
      : `git@${host}:${configured.repo}.git`,
  )
}

async function findElected(repo: Repo, config: RepoConfig, remote: string): Promise<PushTarget | string> {
  const branch = dependsOnBranch(config) ? await readCurrentBranch(repo) : undefined
  const elected = electRemote(config, branch)?.remote
  if (remote === elected) return { remote, label: remote }
  return elected === undefined ? 'this repository has no remote' : `they are pushed to ${elected} only`
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

/**
 * The owner in `https://host/owner/repo.git`, `git@host:owner/repo` or `owner/repo`; on some hosts it has
 * several parts.
 */
function ownerOf(url: string, depth: number): string {
  return url
    .toLowerCase()
    .replace(/(?<!\/)\/+$/, '')
    .split(/[/:]/)
    .slice(-depth, -1)
    .join('/')
}
