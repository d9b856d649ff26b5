// Plans a purge: finds what has to be rewritten and removed, and changes nothing.

import { readPurged } from '../../checkpoints/purged.ts'
import { readCheckpoint } from '../../checkpoints/read.ts'
import { isAnyStep } from '../../checkpoints/step.ts'
import {
  findReachable,
  findRoots,
  listAllCommits,
  listReachableCommits,
  type Root,
  scanObjects,
} from '../../git/all-objects.ts'
import { type ObjectReader, openObjectReader } from '../../git/cat-file.ts'
import type { Oid } from '../../git/oid.ts'
import { listRefs, type RefMove, type RefTip } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { HistoryRewriter, parentsOf } from '../../git/rewrite-history.ts'
import { parseTree } from '../../git/tree.ts'
import { type EditContext, editsOf } from './edits.ts'
import { type EditedFile, planFiles } from './own-files.ts'
import { isCopy, kindOfCommit, type OwnedKind, ownedKind, type PurgeTarget } from './target.ts'

export interface PurgePlan {
  rewriter: HistoryRewriter
  refs: PlannedRef[]
  files: EditedFile[]
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
  const users = await listReachableCommits(repo, oidsOf(roots))
  const owned = await listOwned(objects, refs, users)
  const known = new Set(readPurged(repo).commits)
  const held = await listHeld(objects, roots, { known, owned })
  const dangling = await sortDangling(
    objects,
    await listAllCommits(repo),
    new Set([...[...users].filter((oid) => !held.has(oid)), ...owned.keys()]),
    known,
  )
  const found =
    target.kind === 'secret'
      ? await scanObjects(repo, target.secret, (count) => progress(`Reading all objects: ${count}`))
      : []
  const dirty = new Set(found.map(({ oid }) => oid))
  const ours = new Set([...owned.keys(), ...held])
  const keeps = new Set((await findUsersOwn(repo, dirty, { roots, users, ours })).keys())
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
  const old = [...owned.keys(), ...dangling.owned.map(({ oid }) => oid)].filter(
    (oid) => rewriter.commits.has(oid) || rewriter.dropped.has(oid),
  )
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

export function isNothing({ refs, files, objects }: PurgePlan): boolean {
  return refs.length === 0 && files.length === 0 && objects.size === 0
}

export function oidsOf(roots: Root[]): Oid[] {
  return [...new Set(roots.map(({ oid }) => oid))]
}

/** Those of the objects that the user's own commits hold; a tag or reflog may lead to commits of the program, too. */
export async function findUsersOwn(
  repo: Repo,
  wanted: ReadonlySet<Oid>,
  { roots, users, ours }: { roots: Root[]; users: ReadonlySet<Oid>; ours: ReadonlySet<Oid> },
): Promise<Map<Oid, string>> {
  if (users.isDisjointFrom(ours)) return await findReachable(repo, oidsOf(roots), wanted)
  const others = roots.map(({ target }) => target).filter((oid) => !users.has(oid))
  return await findReachable(repo, [...users.difference(ours), ...others], wanted, true)
}

/** Commits of the program that no ref of its own leads to, but something of the user. */
async function listHeld(
  objects: ObjectReader,
  roots: Root[],
  { known, owned }: { known: ReadonlySet<Oid>; owned: ReadonlyMap<Oid, OwnedKind> },
): Promise<Set<Oid>> {
  const held = new Set<Oid>()
  const seen = new Set<Oid>()
  for (const open = roots.map(({ target }) => target); open.length > 0; ) {
    const oid = open.pop() as Oid
    if (seen.has(oid) || owned.has(oid)) continue
    seen.add(oid)
    const object = await objects.contents(oid)
    const text = object?.type === 'commit' ? object.content.toString('latin1') : ''
    if (text === '' || (kindOfCommit(text) === undefined && !known.has(oid))) continue
    held.add(oid)
    open.push(...parentsOf(text))
  }
  return held
}

/** The commits of the refs, parents first, without those of the user on which steps stand. */
async function listOwned(
  objects: ObjectReader,
  refs: (RefTip & { kind: OwnedKind })[],
  users: ReadonlySet<Oid>,
): Promise<Map<Oid, OwnedKind>> {
  const owned = new Map<Oid, OwnedKind>()
  for (const { ref, oid: tip, kind } of refs.toSorted((a, b) => rank(a.ref) - rank(b.ref))) {
    const isUndo = ref.startsWith('refs/entire/undo/')
    // Whatever else leads there: the user may have looked at it, or keep a copy.
    const isUsers = async (oid: Oid) =>
      users.has(oid) &&
      !wholeHistory.includes(kind) &&
      kindOfCommit((await objects.contents(oid))?.content.toString('latin1') ?? '') === undefined
    const stack: { oid: Oid; parents?: Oid[] }[] = [{ oid: tip }]
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (top.parents !== undefined || owned.has(top.oid) || (await isUsers(top.oid))) {
        stack.pop()
        if (top.parents !== undefined) owned.set(top.oid, kind)
        continue
      }
      const text = (await objects.contents(top.oid))?.content.toString('latin1') ?? ''
      top.parents = parentsOf(text)
      for (const parent of top.parents) {
        // A safety step may stand on commits that the user had, and may want back.
        if (isUndo && !isAnyStep((await objects.contents(parent))?.content.toString('latin1') ?? '')) continue
        if (!owned.has(parent)) stack.push({ oid: parent })
      }
    }
  }
  return owned
}

/** Histories that begin by themselves; steps stand on the user's commits. */
const wholeHistory: OwnedKind[] = ['checkpoints', 'checkpoint', 'links']

// What keeps steps comes after the steps, whose new names it has to hold; links after the checkpoints.
function rank(ref: string): number {
  return ['/notes/', 'refs/entire/removed/', 'refs/entire/trash/', 'refs/entire/undo/'].findIndex((part) =>
    ref.includes(part),
  )
}

export async function sortDangling(
  objects: ObjectReader,
  all: Oid[],
  reachable: ReadonlySet<Oid>,
  known: ReadonlySet<Oid> = new Set(),
): Promise<{ owned: { oid: Oid; kind: OwnedKind; text: string }[]; users: Oid[] }> {
  const sorted: Awaited<ReturnType<typeof sortDangling>> = { owned: [], users: [] }
  for (const oid of all.filter((commit) => !reachable.has(commit))) {
    const text = (await objects.contents(oid))?.content.toString('latin1') ?? ''
    const kind = kindOfCommit(text) ?? (known.has(oid) ? 'checkpoints' : undefined)
    if (kind === undefined) sorted.users.push(oid)
    else sorted.owned.push({ oid, kind, text })
  }
  return sorted
}

/** Walks what no ref leads to, of which parts may be missing: git would refuse. */
export async function addReachable(
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
