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
  listRemoteRefs,
  outOfTime,
  remoteTimeoutMs,
} from '../git/remote.ts'
import type { Repo } from '../git/repo.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import type { Clock } from '../std/time.ts'
import { ownRef, ownRefs, remoteMetadataRef } from './copies.ts'
import { metadataRef, notesRef } from './layout.ts'
import { findPurgedAt, readPurged, refusePurged, replaceCommand } from './purged.ts'

// Several colleagues may be faster, one after the other.
const attempts = 6
const refusals = [1, 128, ...outOfTime]
// Another clone was faster, before the push or while it arrived. A server refuses for any other reason each time.
const isOvertaken =
  /non-fast-forward|fetch first|stale info|cannot lock ref|failed to update ref|incorrect old value|already exists/

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
  let isSynced = false
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
    if (!isOvertaken.test(failure)) break
    sync.say(`[entire] Syncing ${shortName(sync.ref)} with remote...`)
    if (!(await fetchAndMerge(sync))) break
    isSynced = true
    failure = await pushRefs(sync, [sync.ref])
  }
  const when = isSynced ? ' after sync' : ''
  if (failure !== undefined) sync.say(`[entire] Warning: failed to push sessions${when}: ${failure}`)
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
  return result.code === 0 ? undefined : refusalOf(result.stderr)
}

/** False when the remote cannot be read, or lacks the ref: then the push failed for another reason. */
async function fetchAndMerge(sync: RefSync): Promise<boolean> {
  const fetched = await fetchRefs(sync.repo, sync.remote, [`+${sync.ref}:${trackingRef(sync)}`], {
    mayAsk: false,
  })
  const theirs = fetched.kind === 'fetched' ? (await sync.objects.info(trackingRef(sync)))?.oid : undefined
  if (theirs !== undefined) await mergeWith(sync, theirs)
  return theirs !== undefined
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
  if (local === undefined || known?.oid === local) return
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

/** Why a push failed: what git says of the refs, and what the server says. */
function refusalOf(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim().replace(/\/\/[^/@\s]*@/g, '//'))
    .filter((line) => line !== '')
  const said = lines.flatMap((line) => /^remote: +(?:error: +)?(.*\S)$/.exec(line)?.[1] ?? [])
  const rejected = lines.flatMap((line) =>
    line.startsWith('! [') && line.endsWith(')') ? line.slice(line.lastIndexOf('(') + 1, -1) : [],
  )
  const why = [...new Set([...rejected, ...said.slice(0, mostSaid)])]
  return why.length > 0
    ? why.join('; ')
    : (lines.findLast((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1) ?? '')
}

const mostSaid = 4

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
 * Fetches the metadata branch, without overwriting local checkpoints. They are read from origin's copy but not from
 * that of other remotes, so the local branch takes these in.
 */
export async function fetchBranch(sync: Omit<RefSync, 'ref'>, options: FetchOptions): Promise<FetchResult> {
  if ((await findPurgedAt(sync.repo, sync.remote, metadataRef)) !== undefined) return stillHasPurged(sync)
  return sync.remote === 'origin'
    ? fetchWithNotes(sync, [`+${metadataRef}:${remoteMetadataRef}`], options)
    : fetchAndJoin({ ...sync, ref: metadataRef }, options)
}

// How many names a command line takes, on every system.
const chunkSize = 200

/** Fetches the refs of checkpoints that have their own. The result is `absent` when the remote has none of them. */
export async function fetchOwnRefs(
  sync: Omit<RefSync, 'ref'>,
  ids: string[],
  options: FetchOptions,
): Promise<FetchResult> {
  const { repo, remote } = sync
  const wanted = new Set(ids.map(ownRef))
  const patterns = wanted.size > chunkSize ? [`${ownRefs}/*`] : [...wanted]
  const listed = wanted.size === 1 ? [...wanted] : await listRemoteRefs(repo, remote, patterns, options)
  if (!Array.isArray(listed)) return listed
  const refs = listed.filter((ref) => wanted.has(ref))
  if (readPurged(repo).commits.length > 0)
    for (const ref of refs)
      if ((await findPurgedAt(repo, remote, ref)) !== undefined) return stillHasPurged(sync)
  let result: FetchResult = { kind: 'absent' }
  for (let at = 0; at < refs.length && result.kind !== 'failed'; at += chunkSize) {
    const chunk = refs.slice(at, at + chunkSize)
    result = await fetchWithNotes(
      sync,
      chunk.map((ref) => `${ref}:${ref}`),
      options,
    )
  }
  return result
}

function stillHasPurged({ label }: Omit<RefSync, 'ref'>): FetchResult {
  return { kind: 'failed', why: `${label} still has what was purged here` }
}

/** Fetches a ref and merges it into the local one. */
export async function fetchAndJoin(sync: RefSync, options: FetchOptions): Promise<FetchResult> {
  const result = await fetchWithNotes(sync, [`+${sync.ref}:${trackingRef(sync)}`], options)
  if (result.kind === 'fetched') await join(sync)
  return result
}

/** Fetches links by note and merges them into those that are here. */
export async function fetchNotes(sync: Omit<RefSync, 'ref'>, options: FetchOptions): Promise<FetchResult> {
  return await fetchWithNotes(sync, [], options)
}

// Links travel with the checkpoints. As a pattern their ref need not be there.
async function fetchWithNotes(
  sync: Omit<RefSync, 'ref'>,
  refspecs: string[],
  options: FetchOptions,
): Promise<FetchResult> {
  const notes = { ...sync, ref: notesRef }
  const pattern = `+${notesRef}*:${trackingRef(notes)}*`
  const result = await fetchRefs(sync.repo, sync.remote, [...refspecs, pattern], options)
  if (result.kind === 'fetched') await join(notes)
  return result
}

async function join(sync: RefSync): Promise<void> {
  const [theirs, ours] = [(await sync.objects.info(trackingRef(sync)))?.oid, await tipOf(sync)]
  if (theirs === undefined) return
  if (ours === undefined) await moveRefs(sync.repo, [{ ref: sync.ref, to: theirs, from: undefined }])
  else await mergeWith(sync, theirs)
}
