// Removes a secret, a checkpoint or a session from every ref, file and object of the repository that the program
// owns, and looks at all objects afterwards. What is the user's own is never touched: it is reported.
//
// The order survives a kill at any point: the new objects, then the note of what is going to be removed, the
// files, the refs in one transaction, and the old objects last. Run again, a purge does what is left.

import { existsSync, readdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { metadataRef } from '../checkpoints/layout.ts'
import { asidePrefix, readPurged, writePurged } from '../checkpoints/purged.ts'
import { readCheckpoint } from '../checkpoints/read.ts'
import { isAnyStep } from '../checkpoints/step.ts'
import { mergeWith } from '../checkpoints/sync-ref.ts'
import {
  filesBelow,
  findReachable,
  findRoots,
  listAllCommits,
  listAlternates,
  listReachableCommits,
  removeObjects,
  scanObjects,
} from '../git/all-objects.ts'
import { type ObjectReader, openObjectReader } from '../git/cat-file.ts'
import { readConfig } from '../git/config.ts'
import { git } from '../git/exec.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs, moveRefs, type RefMove, type RefTip } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { HistoryRewriter, parentsOf } from '../git/rewrite-history.ts'
import { parseTree } from '../git/tree.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { insideWorktree } from '../sessions/places.ts'
import { retrying } from '../sessions/save.ts'
import { listSessions } from '../sessions/store.ts'
import { listWorktrees, lockWorktrees } from '../sessions/worktrees.ts'
import { readBytes, removeFile, writeAtomic } from '../std/file.ts'
import { isAlive } from '../std/lock.ts'
import {
  type EditContext,
  editFile,
  editsOf,
  kindOfCommit,
  type OwnedKind,
  ownedKind,
  type PurgeTarget,
} from './purge-target.ts'

export interface PurgePlan {
  rewriter: HistoryRewriter
  refs: PlannedRef[]
  files: { path: string; content: Buffer | null }[]
  /** Objects to remove, unless something else needs them. */
  objects: Set<Oid>
  /** Old commits, which a remote may have. */
  commits: Set<Oid>
  checkpoints: Set<string>
  removedCheckpoints: Set<string>
}

export interface PlannedRef extends RefMove {
  kind: OwnedKind
  from: Oid
  /** Commits of its history that change. */
  commits: number
}

export interface PurgeOptions {
  /** Told about long work. */
  progress(text: string): void
}

/** Plans and changes nothing. */
export async function planPurge(
  repo: Repo,
  target: PurgeTarget,
  { progress }: PurgeOptions,
): Promise<PurgePlan> {
  await using objects = openObjectReader(repo)
  const refs = (await listRefs(repo)).flatMap((tip) => {
    const kind = ownedKind(tip.ref)
    return kind === undefined ? [] : [{ ...tip, kind }]
  })
  const roots = await findRoots(repo, (ref) => ownedKind(ref) !== undefined)
  const users = await listReachableCommits(repo, roots)
  const owned = await listOwned(objects, refs, users)
  const dangling = await sortDangling(
    objects,
    await listAllCommits(repo),
    new Set([...users, ...owned.keys()]),
  )
  const found =
    target.kind === 'secret'
      ? await scanObjects(repo, target.forms, (count) => progress(`Reading all objects: ${count}`))
      : []
  const dirty = new Set(found.map(({ oid }) => oid))
  const keeps = new Set((await findReachable(repo, roots, dirty)).keys())
  await addReachable(objects, dangling.users, { wanted: dirty, found: keeps })
  const rewriter = new HistoryRewriter(objects)
  const context: EditContext = {
    objects,
    rewriter,
    keeps,
    affected: new Set(),
    removedCheckpoints: new Set(),
    sessions: target.kind === 'checkpoint' ? await sessionsOf(objects, target.id) : [],
  }
  const edits = editsOf(target, context)
  for (const [oid, kind] of owned) await rewriter.rewrite(oid, edits[kind])
  // What no ref leads to is rewritten, too, to find what has to go.
  for (const { oid, kind } of dangling.owned) await rewriter.rewrite(oid, edits[kind])
  const moved = await planRefs(objects, rewriter, refs, { target, owned })
  for (const { ref, to, kind } of moved)
    if (kind === 'checkpoint' && to === undefined && !isCopy(ref))
      context.removedCheckpoints.add(ref.slice(ref.lastIndexOf('/') + 1))
  const ofDeleted = [
    ...moved.filter(({ to, kind }) => to === undefined && kind === 'checkpoint').map(({ from }) => from),
    ...dangling.owned.filter(({ text }) => isNamed(target, text)).map(({ oid }) => oid),
  ]
  for (const oid of await listBelow(objects, ofDeleted, users)) rewriter.dropped.add(oid)
  for (const id of context.removedCheckpoints) context.affected.add(id)
  const gone = [
    ...rewriter.changed.keys(),
    ...rewriter.dropped,
    ...[...dirty].filter((oid) => !keeps.has(oid)),
  ]
  const old = [...owned.keys()].filter((oid) => rewriter.commits.has(oid) || rewriter.dropped.has(oid))
  return {
    rewriter,
    refs: moved,
    files: planFiles(repo, target, rewriter),
    objects: new Set(gone),
    commits: new Set(old),
    checkpoints: context.affected,
    removedCheckpoints: context.removedCheckpoints,
  }
}

async function sessionsOf(objects: ObjectReader, id: string): Promise<string[]> {
  return (await readCheckpoint(objects, id))?.sessions.map(({ session }) => session) ?? []
}

// A checkpoint with a ref of its own goes with its history.
function isNamed(target: PurgeTarget, text: string): boolean {
  return (
    target.kind === 'checkpoint' && target.id.length === 26 && text.includes(`Checkpoint: ${target.id}\n`)
  )
}

function isCopy(ref: string): boolean {
  return /^refs\/(?:remotes|entire-remotes|entire-fetch-tmp)\//.test(ref)
}

export function isNothing({ refs, files, objects }: PurgePlan): boolean {
  return refs.length === 0 && files.length === 0 && objects.size === 0
}

/** The commits of the refs, parents first, without those of the user. */
async function listOwned(
  objects: ObjectReader,
  refs: (RefTip & { kind: OwnedKind })[],
  users: ReadonlySet<Oid>,
): Promise<Map<Oid, OwnedKind>> {
  const owned = new Map<Oid, OwnedKind>()
  for (const { ref, oid: tip, kind } of refs.toSorted((a, b) => rank(a.ref) - rank(b.ref))) {
    const isUndo = ref.startsWith('refs/entire/undo/')
    const stack: { oid: Oid; parents?: Oid[] }[] = [{ oid: tip }]
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (top.parents !== undefined || owned.has(top.oid) || users.has(top.oid)) {
        stack.pop()
        if (top.parents !== undefined) owned.set(top.oid, kind)
        continue
      }
      const text = (await objects.contents(top.oid))?.content.toString('latin1') ?? ''
      top.parents = parentsOf(text)
      for (const parent of top.parents) {
        // A safety step may stand on commits that the user had, and may want back.
        if (isUndo && !isAnyStep((await objects.contents(parent))?.content.toString('latin1') ?? '')) continue
        if (!owned.has(parent) && !users.has(parent)) stack.push({ oid: parent })
      }
    }
  }
  return owned
}

// What keeps steps comes after the steps, whose new names it has to hold; links after the checkpoints.
function rank(ref: string): number {
  return ['/notes/', 'refs/entire/removed/', 'refs/entire/trash/', 'refs/entire/undo/'].findIndex((part) =>
    ref.includes(part),
  )
}

async function sortDangling(
  objects: ObjectReader,
  all: Oid[],
  reachable: ReadonlySet<Oid>,
): Promise<{ owned: { oid: Oid; kind: OwnedKind; text: string }[]; users: Oid[] }> {
  const sorted: Awaited<ReturnType<typeof sortDangling>> = { owned: [], users: [] }
  for (const oid of all.filter((commit) => !reachable.has(commit))) {
    const text = (await objects.contents(oid))?.content.toString('latin1') ?? ''
    const kind = kindOfCommit(text)
    if (kind === undefined) sorted.users.push(oid)
    else sorted.owned.push({ oid, kind, text })
  }
  return sorted
}

/** Walks what no ref leads to, of which parts may be missing: git would refuse. */
async function addReachable(
  objects: ObjectReader,
  commits: Oid[],
  { wanted, found }: { wanted: ReadonlySet<Oid>; found: Set<Oid> },
): Promise<void> {
  if (wanted.size === 0) return
  const seen = new Set<Oid>()
  for (const open = [...commits]; open.length > 0; ) {
    const oid = open.pop() as Oid
    if (seen.has(oid)) continue
    seen.add(oid)
    if (wanted.has(oid)) found.add(oid)
    const object = await objects.contents(oid)
    if (object?.type === 'commit')
      open.push(/^tree (\w+)$/m.exec(object.content.toString('latin1'))?.[1] ?? '')
    if (object?.type !== 'tree') continue
    for (const entry of parseTree(object.content, oid.length / 2)) {
      if (entry.isTree) open.push(entry.oid)
      else if (wanted.has(entry.oid)) found.add(entry.oid)
    }
  }
}

async function planRefs(
  objects: ObjectReader,
  rewriter: HistoryRewriter,
  refs: (RefTip & { kind: OwnedKind })[],
  { target, owned }: { target: PurgeTarget; owned: Map<Oid, OwnedKind> },
): Promise<PlannedRef[]> {
  const planned: PlannedRef[] = []
  for (const { ref, oid, kind } of refs) {
    const isWhole = kind === 'checkpoint' && target.kind === 'checkpoint' && ref.endsWith(`/${target.id}`)
    const places = isWhole ? [] : rewriter.commits.get(oid)
    if (places === undefined || !owned.has(oid)) continue
    planned.push({
      ref,
      kind,
      from: oid,
      // A copy of a remote's ref must not say what the remote does not have.
      to: isCopy(ref) ? undefined : places[0],
      commits: await countChanged(objects, rewriter, oid, owned),
    })
  }
  return planned
}

async function countChanged(
  objects: ObjectReader,
  rewriter: HistoryRewriter,
  tip: Oid,
  owned: Map<Oid, OwnedKind>,
): Promise<number> {
  const seen = new Set<Oid>()
  for (const open = [tip]; open.length > 0; ) {
    const oid = open.pop() as Oid
    if (seen.has(oid) || !owned.has(oid) || !rewriter.commits.has(oid)) continue
    seen.add(oid)
    open.push(...parentsOf((await objects.contents(oid))?.content.toString('latin1') ?? ''))
  }
  return Math.max(1, seen.size)
}

/** Everything below commits that go; what others need is taken out before anything is removed. */
async function listBelow(objects: ObjectReader, commits: Oid[], users: ReadonlySet<Oid>): Promise<Set<Oid>> {
  const found = new Set<Oid>()
  for (const open = [...commits]; open.length > 0; ) {
    const oid = open.pop() as Oid
    if (found.has(oid) || users.has(oid)) continue
    found.add(oid)
    const object = await objects.contents(oid)
    const text = object?.content.toString('latin1') ?? ''
    if (object?.type === 'commit') open.push(/^tree (\w+)$/m.exec(text)?.[1] ?? '', ...parentsOf(text))
    if (object?.type === 'tree')
      open.push(...parseTree(object.content, oid.length / 2).map((entry) => entry.oid))
  }
  found.delete('')
  return found
}

/** The program's own files in the git directories and work trees. Links are not followed. */
function listOwnFiles(repo: Repo): { path: string; name: string }[] {
  const gitDirs = [
    repo.commonDir,
    ...listDir(join(repo.commonDir, 'worktrees')).map((name) => join(repo.commonDir, 'worktrees', name)),
  ]
  const inGit = gitDirs.flatMap((dir) =>
    listDir(dir)
      .filter((name) => /^(?:entire|fast_import_crash_)/.test(name) && !name.startsWith(asidePrefix))
      .filter((name) => !/^entire(?:-purged\.json|\.lock|-.*\.lock)/.test(name))
      .flatMap((name) => [...filesBelow(join(dir, name)), ...fileAt(join(dir, name))])
      .map((path) => ({ path, name: relative(dir, path) })),
  )
  const inWorktree = listWorktrees(repo).flatMap((worktree) =>
    ['.entire/metadata', '.entire/tmp', '.entire/logs']
      .flatMap((dir) => insideWorktree(worktree, dir))
      .flatMap(filesBelow)
      .map((path) => ({ path, name: relative(worktree.root, path) })),
  )
  return [...new Map([...inGit, ...inWorktree].map((file) => [file.path, file])).values()]
}

function fileAt(path: string): string[] {
  return listDir(path).length === 0 && existsSync(path) ? [path] : []
}

function listDir(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function planFiles(repo: Repo, target: PurgeTarget, rewriter: HistoryRewriter): PurgePlan['files'] {
  return listOwnFiles(repo).flatMap(({ path, name }) => {
    const before = readBytes(path)
    const content = before && editFile(target, name, before, rewriter)
    return content === undefined ? [] : [{ path, content }]
  })
}

export interface PurgeResult {
  plan: PurgePlan
  /** Objects that were removed. */
  removed: number
  /** Objects that still hold it, because they are the user's or in another repository. */
  left: LeftObject[]
}

export interface LeftObject {
  oid: Oid
  type: string
  /** Where a commit of the user has it; empty when it is the commit itself, or nothing leads there. */
  path: string
  isBorrowed: boolean
}

/** Plans again under the locks of all work trees, and removes. */
export async function purge(
  recorder: Recorder,
  target: PurgeTarget,
  options: PurgeOptions,
): Promise<PurgeResult> {
  const { repo } = recorder
  using _lock = await lockWorktrees(listWorktrees(repo))
  sweepAside(repo)
  const unfinished = new Set(readPurged(repo).unfinished?.objects)
  let plan: PurgePlan | undefined
  await retrying(async () => {
    plan = await planPurge(repo, target, options)
    await replace(recorder, target, plan)
  })
  const done = plan as unknown as PurgePlan
  options.progress('Removing objects')
  const removed = await removeUnneeded(repo, new Set([...done.objects, ...unfinished]))
  const left = await findLeft(repo, target, options)
  const { unfinished: begun, ...memory } = readPurged(repo)
  if (begun !== undefined) writePurged(repo, memory)
  return { plan: done, removed, left }
}

async function replace(recorder: Recorder, target: PurgeTarget, plan: PurgePlan): Promise<void> {
  const { repo } = recorder
  const memory = readPurged(repo)
  if (isNothing(plan) && memory.unfinished === undefined) return
  await plan.rewriter.write(repo)
  writePurged(repo, {
    commits: [...new Set([...memory.commits, ...plan.commits])],
    checkpoints: [...new Set([...memory.checkpoints, ...plan.removedCheckpoints])],
    unfinished: {
      kind: target.kind,
      ...(target.kind === 'secret' ? {} : { id: target.id }),
      objects: [...new Set([...(memory.unfinished?.objects ?? []), ...plan.objects])],
    },
  })
  for (const { path, content } of plan.files)
    if (content === null) removeFile(path)
    else writeAtomic(path, content, { mode: 0o600 })
  // The copies go last: until then, a second attempt can take their checkpoints in.
  const [copies, own] = [
    plan.refs.filter(({ ref }) => isCopy(ref)),
    plan.refs.filter(({ ref }) => !isCopy(ref)),
  ]
  await moveRefs(repo, own)
  await joinCopy(recorder, plan)
  await moveRefs(repo, copies)
  const logged = (await listRefs(repo, 'refs/heads/entire/', 'refs/remotes/', 'refs/notes/'))
    .map(({ ref }) => ref)
    .filter((ref) => ownedKind(ref) !== undefined)
  if (logged.length > 0) await git(repo, ['reflog', 'expire', '--expire=all', ...logged])
}

/** Takes in the checkpoints of origin's copy that are not here, before the copy is forgotten. */
async function joinCopy({ repo, clock }: Recorder, { refs, rewriter }: PurgePlan): Promise<void> {
  const copies = refs.filter(({ ref }) => /^refs\/remotes\/[^/]+\/entire\/checkpoints\/v1$/.test(ref))
  const copy =
    copies.find(({ ref }) => ref.startsWith('refs/remotes/origin/')) ??
    (copies.length === 1 ? copies[0] : undefined)
  const theirs = copy && rewriter.commits.get(copy.from)?.[0]
  if (theirs === undefined) return
  await using objects = openObjectReader(repo)
  if ((await objects.info(metadataRef)) === undefined)
    return await moveRefs(repo, [{ ref: metadataRef, to: theirs, from: undefined }])
  const { author } = await readConfig(repo)
  const sync = { repo, objects, author, clock, remote: '', label: '', ref: metadataRef, say: () => {} }
  await mergeWith(sync, theirs)
}

/** Removes what neither a ref, nor an index, nor a dangling commit of the user leads to. */
async function removeUnneeded(repo: Repo, candidates: Set<Oid>): Promise<number> {
  if (candidates.size === 0) return 0
  const roots = await findRoots(repo, () => false)
  const needed = new Set((await findReachable(repo, roots, candidates)).keys())
  await using objects = openObjectReader(repo)
  const reachable = await listReachableCommits(repo, roots)
  const dangling = await sortDangling(
    objects,
    await listAllCommits(repo),
    new Set([...reachable, ...candidates]),
  )
  await addReachable(objects, dangling.users, { wanted: candidates, found: needed })
  const removed = new Set([...candidates].filter((oid) => !needed.has(oid)))
  const present = await Promise.all([...removed].map((oid) => objects.info(oid)))
  await removeObjects(repo, removed)
  return present.filter((info) => info !== undefined).length
}

async function findLeft(repo: Repo, target: PurgeTarget, { progress }: PurgeOptions): Promise<LeftObject[]> {
  const forms = target.kind === 'secret' ? target.forms : [Buffer.from(target.id)]
  const found = await scanObjects(repo, forms, (count) => progress(`Checking all objects: ${count}`))
  const paths = await findReachable(
    repo,
    await findRoots(repo, (ref) => ownedKind(ref) !== undefined),
    new Set(found.map(({ oid }) => oid)),
  )
  const hasAlternates = listAlternates(repo).length > 0
  return found.map(({ oid, type }) => ({
    oid,
    type,
    path: paths.get(oid) ?? '',
    isBorrowed: hasAlternates && !paths.has(oid),
  }))
}

// A killed process may have left what it had fetched to look at.
function sweepAside({ commonDir }: Repo): void {
  for (const name of listDir(commonDir)) {
    const pid = name.startsWith(asidePrefix)
      ? Number.parseInt(name.slice(asidePrefix.length), 10)
      : Number.NaN
    if (pid > 0 && !isAlive(pid)) rmSync(join(commonDir, name), { recursive: true, force: true })
  }
}

/** Files of the user that contain the secret: in work trees, among git's own, and transcripts of agents. */
export async function findUserFiles(repo: Repo, forms: readonly Buffer[]): Promise<string[]> {
  const worktrees = listWorktrees(repo)
  const own = new Set(listOwnFiles(repo).map(({ path }) => path))
  const lists = await Promise.all(
    worktrees.map(async ({ root, ...rest }) => {
      const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
      const { stdout } = await git({ root, ...rest }, args)
      return stdout
        .toString('utf8')
        .split('\0')
        .filter((name) => name !== '')
        .map((name) => join(root, name))
    }),
  )
  const transcripts = listSessions(repo).flatMap(({ transcriptPath }) => transcriptPath ?? [])
  const inGit = filesBelow(repo.commonDir).filter(
    (path) => !path.startsWith(join(repo.commonDir, 'objects/')),
  )
  const paths = new Set([...lists.flat(), ...transcripts, ...inGit])
  return [...paths].filter((path) => {
    const content = own.has(path) ? undefined : readBytes(path)
    return content !== undefined && forms.some((form) => content.includes(form))
  })
}

/** What a remote still has of what was purged here. */
export interface RemoteLeft {
  remote: string
  ref: string
  oid: Oid
  /** Whether there is a ref of this name here to replace it by. */
  isHere: boolean
  /** The remote's commit is not known here: it may have more than what was purged. */
  isUnknown: boolean
}

export interface RemoteFailure {
  remote: string
  why: string
}

/** Asks all remotes. */
export async function findOnRemotes(repo: Repo): Promise<{ left: RemoteLeft[]; failed: RemoteFailure[] }> {
  const purged = new Set(readPurged(repo).commits)
  const left: RemoteLeft[] = []
  const failed: RemoteFailure[] = []
  if (purged.size === 0) return { left, failed }
  const here = new Map((await listRefs(repo)).map(({ ref, oid }) => [ref, oid]))
  await using objects = openObjectReader(repo)
  for (const remote of (await readConfig(repo)).remotes) {
    const asked = await git(repo, ['ls-remote', '--quiet', '--', remote], {
      accept: asking,
      timeoutMs: 30_000,
    })
    if (asked.code !== 0) {
      failed.push({ remote, why: asked.stderr.trim().split('\n').at(-1) || 'no answer' })
      continue
    }
    for (const line of asked.stdout.toString('utf8').split('\n')) {
      const [oid = '', ref = ''] = line.split('\t')
      const kind = ownedKind(ref)
      if (kind === undefined) continue
      const isUnknown = !purged.has(oid) && (await objects.info(oid)) === undefined
      if (purged.has(oid) || isUnknown) left.push({ remote, ref, oid, isHere: here.has(ref), isUnknown })
    }
  }
  return { left, failed }
}

const asking = [1, 2, 128, 143, 137]

/** The path as a person knows it. */
export function tilde(path: string): string {
  const home = process.env.HOME ?? homedir()
  return path.startsWith(`${home}/`) ? `~/${path.slice(home.length + 1)}` : path
}
