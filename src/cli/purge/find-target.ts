// Finds out what the argument of `entire purge` names: a checkpoint, a session, or a secret.

import { readPurged } from '../../checkpoints/purged.ts'
import { findCheckpointIds, listCheckpoints } from '../../checkpoints/read.ts'
import { type PurgeTarget, secretOf } from '../../cleanup/purge/target.ts'
import { openObjectReader } from '../../git/cat-file.ts'
import { git } from '../../git/exec.ts'
import type { Repo } from '../../git/repo.ts'
import { isCheckpointId } from '../../model/checkpoint.ts'
import { listSessionIds } from '../../sessions/store.ts'
import { ambiguousPrefix, EntireError, notFound } from '../../std/errors.ts'
import { askHidden } from '../ask.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'

const shortestSecret = 6
const shortestPrefix = 4

/** Undefined when the question for the secret was cancelled. */
export async function findTarget(
  cli: Cli,
  repo: Repo,
  text: string | undefined,
): Promise<PurgeTarget | undefined> {
  if (text === undefined) {
    const secret = await askHidden(cli, {
      message: 'The secret to remove',
      noTerminalHint: 'Pass it on standard input: `entire purge - --force`.',
    })
    return secret === undefined ? undefined : asSecret(secret)
  }
  if (text === '-') return asSecret((await Bun.stdin.text()).replace(/\r?\n$/, ''))
  const { unfinished } = readPurged(repo)
  if (
    unfinished?.id !== undefined &&
    (unfinished.kind === 'session' || unfinished.kind === 'checkpoint') &&
    unfinished.id === text
  )
    return { kind: unfinished.kind, id: unfinished.id }
  const [checkpoints, sessions] = await findIds(repo, text)
  const ids = [...checkpoints, ...sessions]
  const exact = ids.find((id) => id.toLowerCase() === text.toLowerCase())
  const id = exact ?? ids[0]
  if (exact === undefined && ids.length > 1)
    throw ambiguousPrefix(checkpoints.length === 0 ? 'session' : 'checkpoint', clean(text), ids.map(clean))
  if (id !== undefined) return { kind: checkpoints.includes(id) ? 'checkpoint' : 'session', id }
  // A mistyped id is not searched for as a text.
  if (isCheckpointId(text) || /^[0-9a-f]{8}-[0-9a-f-]{4,27}$/i.test(text))
    throw notFound(
      'checkpoint or session',
      clean(text),
      '`entire explain` and `entire session list --all` show them. If it is a secret, pass it on standard input: `entire purge -`.',
    )
  cli.note('The secret is in the history of your shell now; next time run `entire purge` without it.')
  return asSecret(text)
}

function asSecret(secret: string): PurgeTarget {
  // The usual message would repeat it.
  if (secret.trim().length < shortestSecret)
    throw new EntireError('bad-usage', `A secret must have at least ${shortestSecret} characters.`, {
      hint: 'A shorter text would be replaced in many places where it is none.',
    })
  return { kind: 'secret', secret: secretOf(secret) }
}

async function findIds(repo: Repo, prefix: string): Promise<[checkpoints: string[], sessions: string[]]> {
  if (prefix.length < shortestPrefix || /\s/.test(prefix)) return [[], []]
  await using objects = openObjectReader(repo)
  const [checkpoints, stored, steps] = await Promise.all([
    findCheckpointIds(repo, objects, prefix),
    listCheckpoints(repo, objects),
    git(repo, [
      'log',
      '--format=%(trailers:key=Entire-Session,valueonly)',
      '--branches=entire/*',
      '--glob=refs/entire/*',
    ]),
  ])
  const sessions = new Set([
    ...listSessionIds(repo),
    ...stored.flatMap(({ sessions: parts }) => parts.map(({ session }) => session)),
    ...steps.stdout.toString('utf8').split('\n'),
  ])
  return [checkpoints, [...sessions].filter((id) => id.startsWith(prefix)).sort()]
}
