// Synchronises one ref with its copy on a remote: pushes new commits, and merges when the remote has new
// ones, too.

import type { ObjectReader } from '../git/cat-file.ts'
import type { Identity } from '../git/config.ts'
import { git } from '../git/exec.ts'
import { startFastImport, type TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import { moveRefs } from '../git/refs.ts'
import {
  type FetchOptions,
  type FetchResult,
  fetchRefs,
  lateText,
  outOfTime,
  remoteTimeoutMs,
} from '../git/remote.ts'
import type { Repo } from '../git/repo.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import type { Clock } from '../std/time.ts'
import { remoteMetadataRef } from './copies.ts'
import { checkpointRef, metadataRef } from './layout.ts'
import { findPurgedAt, readPurged, refusePurged, replaceCommand } from './purged.ts'

const attempts = 3
const refusals = [1, 128, ...outOfTime]

export interface RefSync {
  repo: Repo
  /** Must not remember refs, which this moves: `openObjectReader` does not, but the reader of an event does. */
  objects: ObjectReader
  remote: string
  /** The name of the remote in messages: its URL may contain a password. */
  label: string
  /** Names the tracking refs of a remote that is given as a URL. */
  tracking?: string
  ref: string
  author: Identity
  clock: Clock
  say(line: string): void
}

/** True when the remote has everything that is here. */
export async function syncRef(sync: RefSync): Promise<boolean> {
  const local = await tipOf(sync)
  if (local === undefined || local === (await sync.objects.info(trackingRef(sync)))?.oid) return true
  const line = `[entire] Pushing ${shortName(sync.ref)} to ${sync.label}...`
  let failure = await sayIfSlow(sync, line, () => pushRefs(sync, [sync.ref]))
  for (let attempt = 1; failure !== undefined && attempt <= attempts; attempt += 1) {
    const purgedAt = await findPurgedAt(sync.repo, sync.remote, sync.ref)
    if (purgedAt !== undefined) {
      sync.say(
        `[entire] ${shortName(sync.ref)} was not pushed: ${sync.label} still has what was purged here.`,
      )
      sync.say('[entire] To replace it there, for everyone:')
      sync.say(`[entire]   ${replaceCommand(sync.remote, sync.ref, { at: purgedAt, isHere: true })}`)
      return false
    }
    sync.say(`[entire] Syncing ${shortName(sync.ref)} with remote...`)
    if (!(await fetchAndMerge(sync))) break
    failure = await pushRefs(sync, [sync.ref])
  }
  if (failure !== undefined) sync.say(`[entire] Warning: failed to push sessions after sync: ${failure}`)
  else await updateTrackingRef(sync)
  return failure === undefined
}

/**
 * A push that works says nothing, as git does, unless it takes so long that the user wonders what it waits for.
 * https://git-scm.com/docs/git#Documentation/git.txt-codeGITPROGRESSDELAYcode
 */
export async function sayIfSlow<T>(
  { repo, say }: Pick<RefSync, 'repo' | 'say'>,
  line: string,
  act: () => Promise<T>,
): Promise<T> {
  const seconds = Number(repo.env.GIT_PROGRESS_DELAY || 2)
  if (seconds === 0) say(line)
  const timer = seconds > 0 ? setTimeout(() => say(line), seconds * 1000) : undefined
  try {
    return await act()
  } finally {
    clearTimeout(timer)
  }
}

// --no-verify, because Entire's pre-push hook is running. Never --force. Returns the reason of a failure.
export async function pushRefs(
  { repo, remote }: Pick<RefSync, 'repo' | 'remote'>,
  refs: string[],
): Promise<string | undefined> {
  const result = await git(
    repo,
    ['push', '--no-verify', '--quiet', remote, ...refs.map((ref) => `${ref}:${ref}`)],
    { accept: refusals, timeoutMs: remoteTimeoutMs },
  )
  if (outOfTime.includes(result.code)) return lateText(remoteTimeoutMs)
  return result.code === 0 ? undefined : lastLine(result.stderr)
}

/** False when the remote has nothing to merge, so that the push failed for another reason. */
async function fetchAndMerge(sync: RefSync): Promise<boolean> {
  const fetched = `refs/entire-fetch-tmp/${process.pid}`
  const result = await git(
    sync.repo,
    [
      'fetch',
      '--no-tags',
      '--no-write-fetch-head',
      '--quiet',
      '--no-auto-gc',
      sync.remote,
      `+${sync.ref}:${fetched}`,
    ],
    { accept: refusals, timeoutMs: remoteTimeoutMs },
  )
  const theirs = result.code === 0 ? (await sync.objects.info(fetched))?.oid : undefined
  if (theirs === undefined) return false
  await mergeWith(sync, theirs)
  await moveRefs(sync.repo, [{ ref: fetched, to: undefined, from: theirs }])
  return true
}

/** Merges both histories in the local ref; the next push takes the merge to the remote. */
export async function mergeWith(sync: RefSync, theirs: Oid): Promise<void> {
  const ours = (await tipOf(sync)) as Oid
  const base = await mergeBase(sync.repo, ours, theirs)
  if (base === theirs) return
  await refusePurged(sync.repo, ours, theirs)
  if (base === ours) return moveRefs(sync.repo, [{ ref: sync.ref, to: theirs, from: ours }])
  const changes: TreeChange[] = await planMerge(sync.objects, { base, ours, theirs })
  const writes = startFastImport(sync.repo)
  writes.commit({
    ref: sync.ref,
    parent: ours,
    mergeParents: [theirs],
    message: 'Merge remote session logs\n',
    author: sync.author,
    seconds: Math.floor(sync.clock().getTime() / 1000),
    changes,
  })
  await writes.finish()
}

async function mergeBase(repo: Repo, a: Oid, b: Oid): Promise<Oid | undefined> {
  const result = await git(repo, ['merge-base', a, b], { accept: [1] })
  return result.code === 0 ? result.stdout.toString('latin1').trim() : undefined
}

async function tipOf(sync: RefSync): Promise<Oid | undefined> {
  return (await sync.objects.info(sync.ref))?.oid
}

// Git itself updates remote-tracking branches, but not for other refs or for remotes given as a URL.
async function updateTrackingRef(sync: RefSync): Promise<void> {
  const [local, known] = await Promise.all([tipOf(sync), sync.objects.info(trackingRef(sync))])
  if (
    local === undefined ||
    known?.oid === local ||
    (sync.tracking === undefined && /[:/\\]/.test(sync.remote))
  )
    return
  await moveRefs(sync.repo, [{ ref: trackingRef(sync), to: local, from: known?.oid }])
}

function trackingRef({ ref, remote, tracking }: RefSync): string {
  if (tracking !== undefined) return `refs/entire-remotes/${tracking}/${ref.slice('refs/'.length)}`
  return ref.startsWith('refs/heads/')
    ? `refs/remotes/${remote}/${ref.slice('refs/heads/'.length)}`
    : `refs/entire-remotes/${remote}/${ref.slice('refs/'.length)}`
}

function shortName(ref: string): string {
  return ref.replace(/^refs\/(heads\/)?/, '')
}

function lastLine(text: string): string {
  const lines = text.trim().split('\n')
  return lines.findLast((line) => /^(fatal|error|!| !)/.test(line)) ?? lines.at(-1) ?? ''
}

interface MergeTips {
  /** Undefined when the two have no common history. */
  base: Oid | undefined
  ours: Oid
  theirs: Oid
}

/**
 * The changes to the local tree after which it holds both sides. A file changed on both sides is taken from
 * theirs, which was published first. Directories are compared by id, so the cost is that of the differences.
 */
async function planMerge(objects: ObjectReader, tips: MergeTips): Promise<TreeChange[]> {
  const trees = {
    ours: `${tips.ours}^{tree}`,
    theirs: `${tips.theirs}^{tree}`,
    base: tips.base && `${tips.base}^{tree}`,
  }
  return mergeDirs(objects, '', trees)
}

async function mergeDirs(objects: ObjectReader, dir: string, trees: MergeTips): Promise<TreeChange[]> {
  const [our, their, old] = await Promise.all([
    entries(objects, trees.ours),
    entries(objects, trees.theirs),
    trees.base === undefined ? new Map<string, TreeEntry>() : entries(objects, trees.base),
  ])
  const changes: TreeChange[] = []
  for (const [name, entry] of their) {
    const ours = our.get(name)
    const base = old.get(name)
    if (entry.oid === ours?.oid || entry.oid === base?.oid) continue
    const path = `${dir}${name}`
    if (ours?.isTree && entry.isTree) {
      const below = { ours: ours.oid, theirs: entry.oid, base: base?.oid }
      changes.push(...(await mergeDirs(objects, `${path}/`, below)))
    } else changes.push({ path, mode: entry.isTree ? '040000' : '100644', oid: entry.oid })
  }
  return changes
}

async function entries(objects: ObjectReader, tree: string): Promise<Map<string, TreeEntry>> {
  return new Map((await readTree(objects, tree)).map((entry) => [entry.name, entry]))
}

/**
 * Fetches the metadata branch, or the ref of a checkpoint that has its own, without overwriting local
 * checkpoints.
 */
export async function fetchCheckpoint(
  sync: Omit<RefSync, 'ref'>,
  id: string,
  options: FetchOptions,
): Promise<FetchResult> {
  const ref = checkpointRef(id)
  if (readPurged(sync.repo).checkpoints.includes(id)) return { kind: 'absent' }
  if ((await findPurgedAt(sync.repo, sync.remote, ref)) !== undefined)
    return { kind: 'failed', why: `${sync.label} still has what was purged here` }
  if (ref !== metadataRef) return fetchRefs(sync.repo, sync.remote, [`${ref}:${ref}`], options)
  if (sync.remote === 'origin')
    return fetchRefs(sync.repo, sync.remote, [`+${ref}:${remoteMetadataRef}`], options)
  return fetchAndJoin({ ...sync, ref }, options)
}

// Checkpoints are read from origin's copy but not from that of other remotes, so the local branch takes these
// in.
async function fetchAndJoin(sync: RefSync, options: FetchOptions): Promise<FetchResult> {
  const fetched = `refs/entire-fetch-tmp/${process.pid}`
  const result = await fetchRefs(sync.repo, sync.remote, [`+${sync.ref}:${fetched}`], options)
  const [theirs, ours] = [(await sync.objects.info(fetched))?.oid, (await sync.objects.info(sync.ref))?.oid]
  if (result.kind !== 'fetched' || theirs === undefined) return result
  if (ours === undefined) await moveRefs(sync.repo, [{ ref: sync.ref, to: theirs, from: undefined }])
  else await mergeWith(sync, theirs)
  await moveRefs(sync.repo, [{ ref: fetched, to: undefined, from: theirs }])
  return result
}
