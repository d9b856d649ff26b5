// Reading permanent checkpoints of any age from wherever they are stored: the metadata branch, origin's copy of it, or a ref of their own.
// Questions that do not depend on each other are asked at once, of one process.
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import { type CheckpointRecord, isCheckpointId, type SessionRecord } from '../model/checkpoint.ts'
import { asObject, type JsonObject, parseJson } from '../std/json.ts'
import { joinChunks } from './chunk.ts'
import { checkpointDir, metadataRef, transcriptName } from './layout.ts'
import { parseCheckpoint, parseSession } from './record.ts'

export const remoteMetadataRef = 'refs/remotes/origin/entire/checkpoints/v1'
const refsPrefix = 'refs/entire/checkpoints'
const branchRefs = [metadataRef, remoteMetadataRef]

export interface StoredSession extends SessionRecord {
  /** Object name of the directory that holds it. */
  dir: string
}

export interface StoredCheckpoint extends CheckpointRecord {
  /** In the order they were added; the last one stands for the checkpoint. */
  sessions: StoredSession[]
}

/** A ref for one checkpoint alone; ids of the branch may be stored under one, too. */
export function ownRef(id: string): string {
  return `${refsPrefix}/${id.slice(-2)}/${id}`
}

/** The checkpoint, or undefined when it is stored nowhere here. */
export async function readCheckpoint(objects: ObjectReader, id: string): Promise<StoredCheckpoint | undefined> {
  const dir = checkpointDir(id)
  const places = [...(dir === '' ? [] : branchRefs.map((ref) => `${ref}:${dir}`)), `${ownRef(id)}^{tree}`]
  const found = await Promise.all(places.map((place) => objects.info(place)))
  const tree = found.find((object) => object?.type === 'tree')
  return tree && readStored(objects, id, tree.oid)
}

/** All checkpoints, newest first. Of several copies the local one counts. */
export async function listCheckpoints(repo: Repo, objects: ObjectReader): Promise<StoredCheckpoint[]> {
  const trees = await listTrees(repo, objects)
  const checkpoints = await Promise.all([...trees].map(([id, tree]) => readStored(objects, id, tree)))
  return checkpoints.filter((checkpoint) => checkpoint !== undefined).sort((a, b) => createdAt(b) - createdAt(a))
}

/** Ids of all checkpoints that start with a prefix. */
export async function findCheckpointIds(repo: Repo, objects: ObjectReader, prefix: string): Promise<string[]> {
  return [...(await listTrees(repo, objects)).keys()].filter((id) => id.toLowerCase().startsWith(prefix.toLowerCase())).sort()
}

/** The stored transcript, its pieces joined; undefined when the session has none. */
export async function readTranscript(objects: ObjectReader, session: StoredSession): Promise<Buffer | undefined> {
  const pieces = (await readTree(objects, session.dir))
    .map((entry) => ({ ...entry, index: chunkIndex(entry.name) }))
    .filter((entry) => entry.index !== undefined)
    .sort((a, b) => (a.index as number) - (b.index as number))
  // The name before chunks existed; only where there is no newer one.
  const names = pieces.length > 0 ? pieces.map((piece) => piece.oid) : [childName(session.dir, 'full.log')]
  const contents = await Promise.all(names.map((name) => objects.contents(name)))
  const found = contents.filter((object) => object !== undefined).map((object) => object.content)
  return found.length === 0 ? undefined : joinChunks(found)
}

export async function readPrompts(objects: ObjectReader, session: StoredSession): Promise<string[]> {
  const file = await objects.contents(childName(session.dir, 'prompt.txt'))
  return parsePrompts(file?.content.toString('utf8') ?? '')
}

export function parsePrompts(text: string): string[] {
  return text
    .split(/\n\n---\n\n/)
    .map((prompt) => prompt.trim())
    .filter((prompt) => prompt !== '' && !/^-+$/.test(prompt))
}

async function listTrees(repo: Repo, objects: ObjectReader): Promise<Map<string, Oid>> {
  const [own, ...branches] = await Promise.all([listOwnRefs(repo), ...branchRefs.map((ref) => listBranch(objects, ref))])
  // The last entry of an id wins, so the local branch comes last.
  return new Map([...own, ...branches.reverse().flat()])
}

async function listOwnRefs(repo: Repo): Promise<[string, Oid][]> {
  const tips = await listRefs(repo, refsPrefix)
  return tips.flatMap(({ ref, oid }): [string, Oid][] => {
    const id = ref.slice(ref.lastIndexOf('/') + 1)
    return isCheckpointId(id) && ref === ownRef(id) ? [[id, `${oid}^{tree}`]] : []
  })
}

async function listBranch(objects: ObjectReader, ref: string): Promise<[string, Oid][]> {
  const isShard = (entry: TreeEntry) => entry.isTree && /^[0-9a-f]{2}$/.test(entry.name)
  const shards = (await readTree(objects, `${ref}^{tree}`)).filter(isShard)
  const lists = await Promise.all(shards.map((shard) => readTree(objects, shard.oid)))
  return shards.flatMap((shard, index) =>
    (lists[index] as TreeEntry[]).flatMap((entry): [string, Oid][] => {
      const id = `${shard.name}${entry.name}`
      return entry.isTree && isCheckpointId(id) ? [[id, entry.oid]] : []
    }),
  )
}

async function readStored(objects: ObjectReader, id: string, tree: string): Promise<StoredCheckpoint | undefined> {
  const root = await readRecord(objects, tree, 'metadata.json')
  const record = parseCheckpoint({ checkpoint_id: id, ...root })
  if (root === undefined || record === undefined) return undefined
  const slots = Array.from({ length: record.sessionCount }, (_, slot) => `${slot}`)
  const read = await Promise.all(slots.map((slot) => readRecord(objects, tree, `${slot}/metadata.json`)))
  const sessions = read.flatMap((value, slot) => storedSession(value, childName(tree, `${slot}`)))
  // Before checkpoints had several sessions, the one session lay at the top.
  return { ...record, sessions: sessions.length > 0 ? sessions : storedSession(root, tree) }
}

function storedSession(value: JsonObject | undefined, dir: string): StoredSession[] {
  const record = parseSession(value)
  return record === undefined ? [] : [{ ...record, dir }]
}

async function readRecord(objects: ObjectReader, tree: string, path: string): Promise<JsonObject | undefined> {
  const object = await objects.contents(childName(tree, path))
  return object && asObject(parseJson(object.content.toString('utf8')))
}

// `<tree>` is an object name, or one with a path already.
function childName(tree: string, path: string): string {
  return tree.includes(':') ? `${tree}/${path}` : `${tree}:${path}`
}

function chunkIndex(name: string): number | undefined {
  if (name === transcriptName) return 0
  const number = name.startsWith(`${transcriptName}.`) ? name.slice(transcriptName.length + 1) : ''
  return /^\d+$/.test(number) ? Number(number) : undefined
}

function createdAt(checkpoint: StoredCheckpoint): number {
  return Date.parse(checkpoint.sessions.at(-1)?.createdAt ?? '') || 0
}
