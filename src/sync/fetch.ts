// Fetches checkpoints, and links by note, that this clone lacks: from where checkpoints are pushed to, then from
// origin.

import { checkpointRef, metadataRef } from '../checkpoints/layout.ts'
import { readPurged } from '../checkpoints/purged.ts'
import { readCheckpoint } from '../checkpoints/read.ts'
import { fetchBranch, fetchNotes, fetchOwnRefs, type RefSync } from '../checkpoints/sync-ref.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { type RepoConfig, readConfig } from '../git/config.ts'
import type { FetchOptions } from '../git/remote.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { EntireError } from '../std/errors.ts'
import { findPushTarget, type PushTarget } from './push.ts'
import { electRemote } from './unpushed.ts'

/** Someone waits for the answer: a remote that is silent for longer is told, and counts as one that cannot be reached. */
const readerTimeoutMs = 20_000

export interface FetchRun {
  recorder: Pick<Recorder, 'repo' | 'settings' | 'clock'>
  objects: ObjectReader
  options: Pick<FetchOptions, 'mayAsk' | 'timeoutMs'>
  /** Tells the person at the terminal what is waited for. */
  say(line: string): void
}

export interface FetchOutcome {
  /** Those that no remote has, as far as the remotes could be asked. */
  missing: string[]
  /** Remotes that could not be asked, and why. */
  failures: string[]
}

/** Fetches the checkpoints that cannot be read here. Talks to no remote when there are none. */
export async function fetchMissing(run: FetchRun, ids: string[]): Promise<FetchOutcome> {
  const purged = new Set(readPurged(run.recorder.repo).checkpoints)
  const lost = ids.filter((id) => purged.has(id))
  let missing = await findUnread(
    run,
    ids.filter((id) => !purged.has(id)),
  )
  const failures: string[] = []
  if (missing.length === 0) return { missing: lost, failures }
  for (const sync of await openSources(run)) {
    run.say(`Fetching session metadata from ${sync.label}...`)
    const options = { timeoutMs: readerTimeoutMs, ...run.options }
    const hasBranch = missing.some((id) => checkpointRef(id) === metadataRef)
    let result = hasBranch ? await fetchBranch(sync, options) : undefined
    missing = hasBranch ? await findUnread(run, missing) : missing
    // Any checkpoint may have a ref of its own. A remote that does not answer is not asked again.
    if (missing.length > 0 && result?.kind !== 'failed') {
      result = await fetchOwnRefs(sync, missing, options)
      missing = await findUnread(run, missing)
    }
    if (missing.length === 0) return { missing: lost, failures: [] }
    if (result?.kind === 'failed') failures.push(`${sync.label} (${result.why})`)
  }
  return { missing: [...lost, ...missing], failures }
}

/** True when the checkpoint is here now. An error when it may be at a remote that cannot be asked. */
export async function fetchStored(run: FetchRun, id: string): Promise<boolean> {
  const { missing, failures } = await fetchMissing(run, [id])
  if (missing.length === 0) return true
  if (failures.length === 0) return false
  throw new EntireError(
    'git-failed',
    `Session metadata could not be fetched from ${failures.join(' and ')}.`,
    {
      hint: 'Make sure the remote can be reached, then run this command again.',
    },
  )
}

/** Fetches the links by note of others into those that are here. Returns the remotes that could not be asked. */
export async function fetchLinks(run: FetchRun): Promise<string[]> {
  const failures: string[] = []
  for (const sync of await openSources(run)) {
    run.say(`Fetching links from ${sync.label}...`)
    const result = await fetchNotes(sync, { timeoutMs: readerTimeoutMs, ...run.options })
    if (result.kind === 'failed') failures.push(`${sync.label} (${result.why})`)
  }
  return failures
}

async function findUnread({ objects }: FetchRun, ids: string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => readCheckpoint(objects, id)))
  return ids.filter((_, index) => found[index] === undefined)
}

async function openSources({ recorder, objects, say }: FetchRun): Promise<Omit<RefSync, 'ref'>[]> {
  const { repo, clock } = recorder
  const config = await readConfig(repo)
  const sources = await findSources(recorder, config)
  return sources.map((source) => ({ ...source, repo, objects, author: config.author, clock, say }))
}

async function findSources(
  { repo, settings }: FetchRun['recorder'],
  config: RepoConfig,
): Promise<PushTarget[]> {
  const elected = electRemote(config, undefined)?.remote
  const origin = elected === undefined ? [] : [{ remote: elected, label: elected }]
  const configured = settings.checkpointRemote
  const set = configured && (await findPushTarget(repo, config, { remote: elected ?? 'origin', configured }))
  return set === undefined || typeof set === 'string' || set.remote === elected ? origin : [set, ...origin]
}
