// Reads and writes the lines of a session file, and arranges their entries as a tree: an entry follows the
// one that was current when it was written.

import { given } from '../../std/given.ts'
import { asNumber, asObject, asString, type Json, parseJson } from '../../std/json.ts'

export interface SessionTree {
  entries: ReadonlyMap<string, SessionEntry>
  /** The entry after which the conversation continues; undefined in an empty session. */
  leaf: string | undefined
}

export type EntryInfo = {
  id: string
  parentId?: string
  type: string
  timestamp: string
  /** The number of entries that follow it directly. */
  children: number
}

export type TreeNode = EntryInfo & {
  onActivePath: boolean
  depth: number
  preview?: string
  label?: string
  tokensBefore?: number
}

/** The entries from the root to the leaf. The branch begins where a parent is missing or repeats. */
export function activeBranch({ entries, leaf }: SessionTree): SessionEntry[] {
  const path = new Map<string, SessionEntry>()
  for (let at = leaf; at !== undefined && !path.has(at); ) {
    const entry = entries.get(at)
    if (!entry) break
    path.set(at, entry)
    at = entry.parentId
  }
  return [...path.values()].reverse()
}

export function entryInfos(tree: SessionTree): EntryInfo[] {
  const children = childrenOf(tree)
  return activeBranch(tree).map((entry) => infoOf(entry, children))
}

/** All entries in depth-first order: the active branch first, then older before newer. */
export function fullTree(tree: SessionTree): TreeNode[] {
  const active = new Set(activeBranch(tree).map(({ id }) => id))
  const children = childrenOf(tree)
  const labels = labelsOf(tree)
  const nodes: TreeNode[] = []
  const inOrder = (list: SessionEntry[]) =>
    [...list].sort((a, b) => Number(active.has(b.id)) - Number(active.has(a.id)))
  const roots = (children.get(undefined) ?? []).map((entry) => ({ entry, depth: 0 }))
  // A stack, because a session may be deeper than the call stack.
  for (const stack = roots.reverse(); stack.length > 0; ) {
    const { entry, depth } = stack.pop() as { entry: SessionEntry; depth: number }
    const [preview, label] = [previewOf(entry), labels.get(entry.id)]
    nodes.push({
      ...infoOf(entry, children),
      onActivePath: active.has(entry.id),
      depth,
      ...(preview === '' ? {} : { preview }),
      ...given({ label }),
      ...given({ tokensBefore: entry.tokensBefore }),
    })
    for (const child of inOrder(children.get(entry.id) ?? []).reverse())
      stack.push({ entry: child, depth: depth + 1 })
  }
  return nodes
}

/** The current labels, by entry. */
function labelsOf({ entries }: SessionTree): Map<string, string> {
  const labels = new Map<string, string>()
  for (const { type, data } of entries.values()) {
    const [target, label] = [asString(asObject(data)?.targetId), asString(asObject(data)?.label)]
    if (type !== 'label' || target === undefined) continue
    if (label) labels.set(target, label)
    else labels.delete(target)
  }
  return labels
}

// An entry whose parent is missing is a root.
function childrenOf({ entries }: SessionTree): Map<string | undefined, SessionEntry[]> {
  const children = new Map<string | undefined, SessionEntry[]>()
  for (const entry of entries.values()) {
    const parent = entry.parentId !== undefined && entries.has(entry.parentId) ? entry.parentId : undefined
    const siblings = children.get(parent)
    if (siblings) siblings.push(entry)
    else children.set(parent, [entry])
  }
  // A stable sort: entries of the same time stay in the order of the file.
  for (const siblings of children.values()) siblings.sort((a, b) => timeOf(a) - timeOf(b))
  return children
}

function timeOf({ timestamp }: SessionEntry): number {
  return Date.parse(timestamp) || 0
}

function infoOf(
  { id, parentId, type, timestamp }: SessionEntry,
  children: ReturnType<typeof childrenOf>,
): EntryInfo {
  return {
    id,
    ...given({ parentId }),
    type,
    timestamp,
    children: children.get(id)?.length ?? 0,
  }
}

const previewLength = 60

function previewOf({ type, data }: SessionEntry): string {
  const content = asObject(data)?.content
  const first = Array.isArray(content)
    ? content.map((part) => asString(asObject(part)?.text)).find(Boolean)
    : asString(content)
  const text = ['user', 'assistant'].includes(type) ? (first ?? '') : ''
  const letters = [...text]
  return letters.length > previewLength ? `${letters.slice(0, previewLength).join('')}...` : text
}

export interface SessionEntry {
  id: string
  parentId: string | undefined
  type: string
  timestamp: string
  data: Json
  tokensBefore?: number
}

export interface SessionMeta {
  id: string
  cwd: string
  model?: string
  createdAt: string
  title?: string
  /** The session this one was forked from, and how many messages were copied. */
  parentId?: string
  forkPoint?: number
}

export type SessionLine =
  | { meta: SessionMeta }
  | { entry: Omit<SessionEntry, 'id'> & { id: string | undefined } }

/** Types of entries with a meaning for sessions; all others belong to extensions. */
export const ownTypes = [
  'meta',
  'user',
  'assistant',
  'tool_result',
  'compact',
  'branch_summary',
  'custom_message',
  'label',
] as const

/** Undefined for a line that cannot be read. */
export function parseEntryLine(text: string): SessionLine | undefined {
  const line = asObject(parseJson(text))
  const type = asString(line?.type)
  if (!line || !type) return undefined
  if (type === 'meta') {
    const meta = parseMeta(line.data)
    return meta && { meta }
  }
  const tokensBefore = asNumber(line.tokensBefore)
  return {
    entry: {
      id: asString(line.id) || undefined,
      parentId: asString(line.parentId) || undefined,
      type,
      timestamp: asString(line.ts) ?? '',
      data: line.data ?? null,
      ...(tokensBefore ? { tokensBefore } : {}),
    },
  }
}

function parseMeta(data: Json | undefined): SessionMeta | undefined {
  const fields = asObject(data)
  const id = asString(fields?.id)
  if (!fields || !id) return undefined
  const [model, title, parentId, forkPoint] = [
    asString(fields.model),
    asString(fields.title),
    asString(fields.parentId),
    asNumber(fields.forkPoint),
  ]
  return {
    id,
    cwd: asString(fields.cwd) ?? '',
    ...(model ? { model } : {}),
    createdAt: asString(fields.createdAt) ?? '',
    ...(title ? { title } : {}),
    ...(parentId ? { parentId } : {}),
    ...(forkPoint ? { forkPoint } : {}),
  }
}

export function metaLine(meta: SessionMeta, at: Date): string {
  return `${JSON.stringify({ type: 'meta', ts: at.toISOString(), data: meta })}\n`
}

export function entryLine({ type, id, parentId, timestamp, data, tokensBefore }: SessionEntry): string {
  return `${JSON.stringify({ type, id, ...(parentId ? { parentId } : {}), ts: timestamp, data, ...(tokensBefore ? { tokensBefore } : {}) })}\n`
}
