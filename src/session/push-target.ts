// Where a push takes the checkpoints: along with it, or to the place that is set for them.
import { git } from '../git/exec.ts'
import type { Repo } from '../git/repo.ts'
import { type CheckpointRemote, providerHosts } from '../model/settings.ts'
import { describeCheckpointRemote } from './checkpoint-remote.ts'
import { settingsPaths } from './settings.ts'

export interface PushTarget {
  remote: string
  /** What to call it before people. */
  label: string
  /** Names the place where it is noted what a remote without a name has. */
  tracking?: string
}

/** A text instead of a target says why nothing is pushed. */
export async function findPushTarget(repo: Repo, remote: string, wanted: CheckpointRemote | undefined): Promise<PushTarget | string> {
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
  return byUrl(/^https?:/.test(pushUrl) ? `https://${host}/${wanted.repo}.git` : `git@${host}:${wanted.repo}.git`)
}

function byUrl(url: string): PushTarget {
  const tracking = `url-${new Bun.CryptoHasher('sha256').update(url).digest('hex').slice(0, 12)}`
  return { remote: url, label: 'checkpoint remote', tracking }
}

async function readPushUrl(repo: Repo, remote: string): Promise<string> {
  const { code, stdout } = await git(repo, ['remote', 'get-url', '--push', '--', remote], { accept: [2, 128] })
  return code === 0 ? stdout.toString('utf8').trim() : remote
}

async function isTracked(repo: Repo, path: string): Promise<boolean> {
  return (await git(repo, ['ls-files', '-z', '--', path])).stdout.length > 0
}

/** `owner` of `https://host/owner/repo.git`, `git@host:owner/repo` or `owner/repo`; on some hosts it has several parts. */
function ownerOf(url: string, depth: number): string {
  return url.toLowerCase().replace(/\/+$/, '').split(/[/:]/).slice(-depth, -1).join('/')
}
