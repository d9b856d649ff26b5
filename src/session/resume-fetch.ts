// Session data that is not in this clone: asked for where checkpoints are pushed to, then at origin.

import { type FetchOptions, fetchCheckpoint } from '../checkpoints/fetch-checkpoints.ts'
import { fetchCommand } from '../checkpoints/places.ts'
import { readCheckpoint } from '../checkpoints/read.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { readConfig } from '../git/config.ts'
import { EntireError } from '../std/errors.ts'
import { findPushTarget, type PushTarget } from './push-target.ts'
import type { Recorder } from './work.ts'

/** False when nobody has it. A remote that cannot be reached is an error: nobody knows what it has. */
export async function fetchStored(
  recorder: Recorder,
  objects: ObjectReader,
  id: string,
  options: FetchOptions & { say(line: string): void },
): Promise<boolean> {
  const { repo, clock } = recorder
  const { author, remotes } = await readConfig(repo)
  const failures: string[] = []
  for (const target of await findSources(recorder, remotes)) {
    options.say(`Fetching session metadata from ${target.label}...`)
    const result = await fetchCheckpoint({ ...target, repo, objects, author, clock, say: options.say }, id, options)
    if (result.kind === 'fetched' && (await readCheckpoint(objects, id)) !== undefined) return true
    if (result.kind === 'failed') failures.push(`${target.label} (${result.why})`)
  }
  if (failures.length === 0) return false
  throw new EntireError('git-failed', `Session metadata could not be fetched from ${failures.join(' and ')}.`, {
    hint: `Make sure the remote can be reached, then run \`${fetchCommand}\` or this command again.`,
  })
}

async function findSources({ repo, settings }: Recorder, remotes: string[]): Promise<PushTarget[]> {
  const origin = remotes.includes('origin') ? [{ remote: 'origin', label: 'origin' }] : []
  const set = settings.checkpointRemote && (await findPushTarget(repo, 'origin', settings.checkpointRemote))
  return set === undefined || typeof set === 'string' || set.remote === 'origin' ? origin : [set, ...origin]
}
