// Rewrites commits with everything below them: each changed tree and blob once, and every commit on top of a
// changed one. Dates, authors and all that is not changed stay. The new objects are written as one pack.

import { deflateSync } from 'node:zlib'
import { encodePath } from '../std/encoding.ts'
import { writePoint } from '../std/kill-point.ts'
import type { ObjectReader } from './cat-file.ts'
import { git } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'
import { parseTree, type TreeEntry } from './tree.ts'

/** What changes below a commit. Paths have no slash at either end; the root is ''. */
export interface HistoryEdit {
  /** Trees and blobs with the same key are changed alike; undefined where nothing below changes. */
  key(path: string): string | undefined
  /** Leaves out or renames entries of a tree, or gives them new content. */
  tree(path: string, entries: TreeEntry[]): Promise<EditedEntry[]>
  /** The new content of a blob; undefined when it stays. */
  blob(path: string, oid: Oid): Promise<Buffer | undefined>
  /** Looks at a tree of which something has changed. */
  finish?(before: TreeEntry[], after: EditedEntry[]): Promise<EditedEntry[]>
  /** The new text of a commit, in latin1; undefined when the commit is left out. */
  commit(text: string): string | undefined
  /** Leaves out a commit that changes nothing any more. */
  dropsEmpty: boolean
}

export interface EditedEntry extends TreeEntry {
  content?: Buffer
}

export class HistoryRewriter {
  readonly #objects: ObjectReader
  /** The new objects, deflated, by name. */
  readonly #made = new Map<Oid, { type: number; size: number; data: Buffer; raw: Buffer }>()
  /** The commits that stand for a rewritten one: itself, or what was below a commit that was left out. */
  readonly commits = new Map<Oid, Oid[]>()
  /** Old blobs and trees, and what took their place. */
  readonly changed = new Map<Oid, Oid>()
  /** Old objects that nothing takes the place of. */
  readonly dropped = new Set<Oid>()
  readonly #trees = new Map<HistoryEdit, Map<string, Promise<Oid>>>()

  constructor(objects: ObjectReader) {
    this.#objects = objects
  }

  /** Its parents must have been rewritten before, as far as they are to be. */
  async rewrite(oid: Oid, edit: HistoryEdit): Promise<void> {
    const before = (await this.#objects.contents(oid))?.content.toString('latin1')
    if (before === undefined) return
    const tree = treeOf(before)
    const newTree = await this.#tree('', tree, edit)
    const parents = parentsOf(before)
    const newParents = [...new Set(parents.flatMap((parent) => this.commits.get(parent) ?? [parent]))]
    const text = edit.commit(before)
    if (text === undefined || (edit.dropsEmpty && (await this.#isEmpty(tree, newTree, newParents)))) {
      this.commits.set(oid, newParents)
      this.dropped.add(oid)
      if (newTree !== tree) this.changed.set(tree, newTree)
      if (text === undefined) await this.#drop(tree)
      return
    }
    const after = withLinks(text, newTree, newParents, text !== before || newTree !== tree)
    if (after === before) return
    const made = this.#add('commit', Buffer.from(after, 'latin1'), oid)
    this.commits.set(oid, [made])
    this.changed.set(oid, made)
  }

  /** An object that was made, or one that was there. */
  async contents(oid: Oid): Promise<Buffer | undefined> {
    return this.#made.get(oid)?.raw ?? (await this.#objects.contents(oid))?.content
  }

  /** Of an object that was made. */
  sizeOf(oid: Oid): number | undefined {
    return this.#made.get(oid)?.size
  }

  /** Writes the new objects. Nothing refers to them yet. */
  async write(repo: Repo): Promise<void> {
    if (this.#made.size === 0) return
    const head = Buffer.alloc(12)
    head.write('PACK', 'latin1')
    head.writeUInt32BE(2, 4)
    head.writeUInt32BE(this.#made.size, 8)
    const parts: Buffer[] = [head]
    for (const { type, size, data } of this.#made.values()) parts.push(entryHead(type, size), data)
    const algorithm = ([...this.#made.keys()][0] as Oid).length === 64 ? 'sha256' : 'sha1'
    const body = Buffer.concat(parts)
    const pack = Buffer.concat([body, new Bun.CryptoHasher(algorithm).update(body).digest()])
    writePoint()
    await git(repo, ['index-pack', '--stdin'], { stdin: pack })
    writePoint()
  }

  async #isEmpty(tree: Oid, newTree: Oid, parents: Oid[]): Promise<boolean> {
    if (newTree === tree || parents.length > 1) return false
    const below = parents[0] === undefined ? undefined : await this.contents(parents[0])
    if (below !== undefined) return treeOf(below.toString('latin1')) === newTree
    return (await this.contents(newTree))?.length === 0
  }

  #tree(path: string, oid: Oid, edit: HistoryEdit): Promise<Oid> {
    const key = edit.key(path)
    if (key === undefined) return Promise.resolve(oid)
    const name = `${key}\0${oid}`
    const trees = this.#trees.get(edit) ?? new Map<string, Promise<Oid>>()
    this.#trees.set(edit, trees)
    const known = trees.get(name) ?? this.#editTree(path, oid, edit)
    trees.set(name, known)
    return known
  }

  async #editTree(path: string, oid: Oid, edit: HistoryEdit): Promise<Oid> {
    const object = await this.#objects.contents(oid)
    if (object?.type !== 'tree') return oid
    const before = parseTree(object.content, oid.length / 2)
    const kept = await edit.tree(path, before)
    const names = new Set(kept.map((entry) => entry.oid))
    for (const entry of before) if (!names.has(entry.oid)) await this.#drop(entry.oid, entry.isTree)
    let after: EditedEntry[] = []
    for (const entry of kept)
      after.push({
        ...entry,
        oid: await this.#entry(path === '' ? entry.name : `${path}/${entry.name}`, entry, edit),
      })
    // A tree that only held what was left out goes with it.
    after = after.filter((entry) => !entry.isTree || !this.#isEmptied(entry.oid))
    const isChanged = (entries: EditedEntry[]) =>
      entries.length !== before.length ||
      entries.some(({ oid: now, name }, at) => now !== before[at]?.oid || name !== before[at]?.name)
    if (!isChanged(after)) return oid
    const finished = (await edit.finish?.(before, after)) ?? after
    const entries = finished.map((entry) => {
      if (entry.content === undefined) return entry
      const made = this.#add('blob', entry.content, oid)
      const old = before.find(({ name }) => name === entry.name)
      if (old !== undefined && old.oid !== made) this.changed.set(old.oid, made)
      return { ...entry, oid: made }
    })
    const made = this.#add('tree', formatTree(entries), oid)
    this.changed.set(oid, made)
    return made
  }

  async #entry(path: string, entry: EditedEntry, edit: HistoryEdit): Promise<Oid> {
    if (entry.content !== undefined || entry.mode === '160000') return entry.oid
    if (entry.isTree) return await this.#tree(path, entry.oid, edit)
    const content = await edit.blob(path, entry.oid)
    if (content === undefined) return entry.oid
    const made = this.#add('blob', content, entry.oid)
    this.changed.set(entry.oid, made)
    return made
  }

  #isEmptied(oid: Oid): boolean {
    return this.#made.get(oid)?.raw.length === 0
  }

  async #drop(oid: Oid, isTree = true): Promise<void> {
    if (this.dropped.has(oid)) return
    this.dropped.add(oid)
    const object = isTree ? await this.#objects.contents(oid) : undefined
    if (object?.type !== 'tree') return
    for (const entry of parseTree(object.content, oid.length / 2))
      if (entry.mode !== '160000') await this.#drop(entry.oid, entry.isTree)
  }

  #add(type: keyof typeof types, raw: Buffer, sample: Oid): Oid {
    const hasher = new Bun.CryptoHasher(sample.length === 64 ? 'sha256' : 'sha1')
    const oid = hasher.update(`${type} ${raw.length}\0`).update(raw).digest('hex')
    if (!this.#made.has(oid))
      this.#made.set(oid, { type: types[type], size: raw.length, data: deflateSync(raw), raw })
    return oid
  }
}

// https://git-scm.com/docs/gitformat-pack
const types = { commit: 1, tree: 2, blob: 3 }

function entryHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 0x80
    bytes.push(rest & 0x7f)
  }
  return Buffer.from(bytes)
}

function formatTree(entries: TreeEntry[]): Buffer {
  const named = entries.map((entry) => ({ ...entry, bytes: encodePath(entry.name) }))
  const sortKey = ({ bytes, isTree }: (typeof named)[number]) =>
    isTree ? Buffer.concat([bytes, Buffer.from('/')]) : bytes
  return Buffer.concat(
    named
      .toSorted((a, b) => Buffer.compare(sortKey(a), sortKey(b)))
      .flatMap(({ mode, bytes, oid }) => [
        Buffer.from(`${mode} `),
        bytes,
        Buffer.of(0),
        Buffer.from(oid, 'hex'),
      ]),
  )
}

function treeOf(text: string): Oid {
  return /^tree (\w+)$/m.exec(text)?.[1] ?? ''
}

export function parentsOf(text: string): Oid[] {
  const header = text.slice(0, text.indexOf('\n\n'))
  return [...header.matchAll(/^parent (\w+)$/gm)].map(([, parent]) => parent as Oid)
}

// A signature of what was there before is not one of what is there now.
function withLinks(text: string, tree: Oid, parents: Oid[], isChanged: boolean): string {
  const end = text.indexOf('\n\n')
  const header = text.slice(0, end)
  const others = header.split('\n').filter((line) => !/^(?:tree|parent) /.test(line))
  const links = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`)]
  const isSame = !isChanged && parentsOf(text).join() === parents.join()
  const unsigned = others.join('\n').replace(/^gpgsig(?:-sha256)? .*(?:\n .*)*\n?/gm, '')
  return `${[...links, isSame ? others.join('\n') : unsigned.trimEnd()].join('\n')}${text.slice(end)}`
}
