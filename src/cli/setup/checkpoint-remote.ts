// Checks where a person wants checkpoints to be pushed, and plans the change of the settings.

import { git } from '../../git/exec.ts'
import type { Repo } from '../../git/repo.ts'
import { formatCheckpointRemote, parseCheckpointRemote } from '../../settings/checkpoint-remote.ts'
import type { Changes } from '../../settings/write.ts'
import { EntireError, invalidValue, notFound } from '../../std/errors.ts'
import { clean } from '../render/text.ts'

export interface RemoteChange {
  /** Below `strategy_options`. */
  options: Changes
  /** A URL is read only from the user's own file. */
  onlyLocal: boolean
}

export async function planCheckpointRemote(repo: Repo, text: string): Promise<RemoteChange> {
  const remote = parseCheckpointRemote(text)
  if (remote === undefined)
    throw invalidValue(
      clean(text),
      'the checkpoint remote',
      'Use the name of a git remote, a URL, or for example github:owner/repo.',
    )
  const names = remote.kind === 'remote' ? await readRemotes(repo) : []
  if (remote.kind === 'remote' && !names.includes(remote.name))
    throw notFound(
      'git remote',
      text,
      `${names.length > 0 ? `Existing remotes: ${names.map(clean).join(', ')}. ` : ''}Add it with \`git remote add ${text} <url>\`, or use a URL or for example github:owner/repo.`,
      'bad-usage',
    )
  return { options: { ...formatCheckpointRemote(remote) }, onlyLocal: remote.kind === 'url' }
}

export function rejectSharedUrl(): never {
  throw new EntireError(
    'bad-usage',
    'A URL as checkpoint remote is read only from .entire/settings.local.json.',
    {
      hint: 'Leave out --project, or use a name that is safe to share: github:owner/repo, or a git remote.',
    },
  )
}

async function readRemotes(repo: Repo): Promise<string[]> {
  const { stdout } = await git(repo, ['remote'])
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((name) => name !== '')
}
