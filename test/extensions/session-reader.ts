// A second reader of session files, written from the description of the format alone, and as strict as a
// program in Go: a field of another type than described is an error.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Fields = Record<string, unknown>
interface Node {
  id: string
  parentId: string | undefined
  type: string
  ts: string
  data: unknown
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

function need(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the original could not read this: ${what}`)
}

const isText = (value: unknown) => value === undefined || value === null || typeof value === 'string'
const isCount = (value: unknown) => value === undefined || value === null || Number.isInteger(value)

export function readStrictly(path: string) {
  const nodes = new Map<string, Node>()
  let meta: Fields | undefined
  let leaf: string | undefined
  let metaLines = 0
  let old = 0
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    let entry: Fields
    try {
      entry = JSON.parse(line)
    } catch {
      continue
    }
    need(
      typeof entry.type === 'string' &&
        isText(entry.id) &&
        isText(entry.parentId) &&
        isCount(entry.tokensBefore),
      line,
    )
    need(time.test(String(entry.ts)), `ts of ${line}`)
    if (entry.type === 'meta') {
      meta = entry.data as Fields
      metaLines += 1
      need(
        [meta.id, meta.cwd, meta.model, meta.title, meta.parentId].every(isText) && isCount(meta.forkPoint),
        line,
      )
      need(time.test(String(meta.createdAt)), `createdAt of ${line}`)
      continue
    }
    const hasId = typeof entry.id === 'string' && entry.id !== ''
    const id = hasId ? String(entry.id) : `L${old++}`
    const parentId = hasId ? ((entry.parentId as string | undefined) ?? undefined) : leaf
    nodes.set(id, { id, parentId, type: String(entry.type), ts: String(entry.ts), data: entry.data })
    leaf = id
  }
  if (!meta) throw new Error('no meta line')
  return { meta, metaLines, nodes, leaf, messages: messagesOf(nodes, leaf) }
}

/** From the root to the leaf; a compaction replaces everything before it. */
function messagesOf(nodes: Map<string, Node>, leaf: string | undefined): string[] {
  const branch: Node[] = []
  for (
    let at = leaf === undefined ? undefined : nodes.get(leaf);
    at;
    at = at.parentId === undefined ? undefined : nodes.get(at.parentId)
  )
    branch.unshift(at)
  let messages: string[] = []
  for (const { type, data } of branch) {
    if (type === 'compact')
      messages = (data as Fields[])
        .map((one) => describe(String(one.type), one.data as Fields))
        .filter((one) => one !== '')
    else messages.push(...[describe(type, data as Fields)].filter((one) => one !== ''))
  }
  return messages
}

/** One line for each message, by its fields alone; nothing for other entries. */
function describe(type: string, data: Fields): string {
  if (type === 'custom_message') return `${data.role}: ${data.content}`
  if (!['user', 'assistant', 'tool_result'].includes(type)) return ''
  need(time.test(String(data.timestamp)), `timestamp of ${JSON.stringify(data)}`)
  if (type === 'user') {
    need(isText(data.content), 'content of a user')
    const blocks = (data.blocks ?? []) as Fields[]
    return `user: ${blocks.length === 0 ? data.content : blocks.map(contentBlock).join(' ')}`
  }
  if (type === 'tool_result') {
    need(
      typeof data.isError === 'boolean' && isText(data.toolCallId) && isText(data.toolName),
      'a tool result',
    )
    return `result of ${data.toolCallId}: ${(data.content as Fields[]).map(contentBlock).join(' ')}`
  }
  const usage = data.usage as Fields
  need(
    ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'].every((name) =>
      isCount(usage[name]),
    ),
    'usage',
  )
  need(
    ['', 'stop', 'length', 'toolUse', 'error', 'aborted'].includes(String(data.stopReason)),
    `stopReason ${data.stopReason}`,
  )
  return `assistant: ${(data.content as Fields[]).map(assistantBlock).join(' ')}`
}

function contentBlock(block: Fields): string {
  need([block.text, block.data, block.mimeType].every(isText), 'a block')
  return block.mimeType ? `<${block.mimeType}>` : String(block.text)
}

function assistantBlock(block: Fields): string {
  if (block.id || block.name) {
    need(block.arguments === null || typeof block.arguments === 'object', 'arguments of a call')
    return `${block.name}(${JSON.stringify(block.arguments)})`
  }
  return block.thinking ? `(${block.thinking})` : String(block.text)
}

/** Newest first. */
export function listStrictly(dir: string): string[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readStrictly(join(dir, name)).meta)
    .sort((a, b) => Date.parse(String(b.createdAt)) - Date.parse(String(a.createdAt)))
    .map(({ id }) => String(id))
}
