// Checkpoints that others pushed, or that this clone left out: fetched to where reading looks for them, and never over local ones.
import { type FetchResult, fetchRefs } from '../git/fetch.ts'
import { moveRefs } from '../git/refs.ts'
import { checkpointRef, metadataRef } from './layout.ts'
import { remoteMetadataRef } from './places.ts'
import { mergeWith, type Sync } from './sync.ts'

export interface FetchOptions {
  /** Git may ask the person at the terminal for a password. */
  mayAsk: boolean
}

/** The branch with all checkpoints, or the ref of one that has its own. */
export async function fetchCheckpoint(sync: Omit<Sync, 'ref'>, id: string, options: FetchOptions): Promise<FetchResult> {
  const ref = checkpointRef(id)
  if (ref !== metadataRef) return fetchRefs(sync.repo, sync.remote, [`${ref}:${ref}`], options)
  if (sync.remote === 'origin') return fetchRefs(sync.repo, sync.remote, [`+${ref}:${remoteMetadataRef}`], options)
  return fetchAndJoin({ ...sync, ref }, options)
}

// Nobody looks for checkpoints in the copy of a remote other than origin, so the local branch takes them in.
async function fetchAndJoin(sync: Sync, options: FetchOptions): Promise<FetchResult> {
  const fetched = `refs/entire-fetch-tmp/${process.pid}`
  const result = await fetchRefs(sync.repo, sync.remote, [`+${sync.ref}:${fetched}`], options)
  const [theirs, ours] = [(await sync.objects.info(fetched))?.oid, (await sync.objects.info(sync.ref))?.oid]
  if (result.kind !== 'fetched' || theirs === undefined) return result
  if (ours === undefined) await moveRefs(sync.repo, [{ ref: sync.ref, to: theirs, from: undefined }])
  else await mergeWith(sync, theirs)
  await moveRefs(sync.repo, [{ ref: fetched, to: undefined, from: theirs }])
  return result
}
