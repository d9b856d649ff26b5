// Reads the transcript of Codex, which it calls a rollout: JSON lines, appended to and never rewritten. Most
// things are written twice, once as the model sees them and once as people do; each is taken from one of the
// two. A fork does not repeat the lines that it continues from.
import type { TranscriptEntry, TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import { given } from '../../std/given.ts'
import {
  asArray,
  asObject,
  asString,
  asStrings,
  type Json,
  type JsonObject,
  parseJson,
} from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { parseTranscriptLines, toolDetail } from '../shared/message-text.ts'
import { changesOf, codexPromptOf, originOf, printedFiles, resolveFile } from './rollout.ts'
import { type SubagentTracker, trackSubagents } from './subagents.ts'
import { type UsageMeter, usageMeter } from './usage.ts'

const field = 'encrypted_content'
/** Items that may be without the field; Codex cannot read other items without it. */
const itemsWithout = new Set(['reasoning', 'context_compaction'])
const compactions = new Set(['compaction', 'compaction_summary', 'context_compaction'])

export function stripEncrypted(line: string): string {
  if (!line.includes(`"${field}"`)) return line
  const record = asObject(parseJson(line))
  if (record === undefined) return line
  const payload = asObject(record.payload)
  const kept =
    record.type === 'compacted' && payload ? { ...record, payload: withoutCompactions(payload) } : record
  return JSON.stringify(withoutEncrypted(kept))
}

/**
 * Removes items that are nothing but encrypted content, because empty ones are refused; their metadata is in
 * a second list.
 */
function withoutCompactions(payload: JsonObject): JsonObject {
  const history = payload.replacement_history
  if (!Array.isArray(history)) return payload
  const isKept = history.map(
    (item) => !(compactions.has(String(asObject(item)?.type)) && asObject(item)?.[field] !== undefined),
  )
  const metadata = payload.replacement_history_metadata
  return {
    ...payload,
    replacement_history: history.filter((_, at) => isKept[at]),
    ...(Array.isArray(metadata)
      ? { replacement_history_metadata: metadata.filter((_, at) => isKept[at] ?? true) }
      : {}),
  }
}

function withoutEncrypted(value: Json): Json {
  if (Array.isArray(value)) return asArray(value).map(withoutEncrypted)
  const object = asObject(value)
  if (object === undefined) return value
  const empty = itemsWithout.has(String(object.type)) ? null : ''
  return Object.fromEntries(
    Object.entries(object).map(([key, child]) => [
      key,
      isEncrypted(key, child) ? empty : withoutEncrypted(child),
    ]),
  )
}

function isEncrypted(key: string, value: Json): boolean {
  return key === field && typeof value === 'string'
}

export const codexTranscript: TranscriptFormat = {
  shape: () => 'lines',

  // A running total tells no messages apart.
  restart: (carry) => (carry.records === true ? carry : undefined),

  readLines(lines, carry) {
    const reading = beginReading(carry)
    for (const line of lines) {
      const record = asObject(parseJson(line))
      const payload = asObject(record?.payload)
      if (record && payload) readRecord(record, payload, reading)
    }
    return finishReading(reading, lines.length)
  },

  readEntries: (transcript, from) =>
    parseTranscriptLines(transcript)
      .slice(from)
      .flatMap((record) => (record ? entriesOf(record) : [])),

  strip: stripEncrypted,
}

interface Reading extends Pick<TranscriptReading, 'prompts' | 'summary' | 'model' | 'lastId'> {
  files: Set<string>
  usage: UsageMeter
  subagents: SubagentTracker
  /** Known once the first line was read. */
  isSubagent?: boolean
  cwd?: string
}

function beginReading(carry: JsonObject | undefined): Reading {
  return {
    prompts: [],
    files: new Set(),
    usage: usageMeter(carry),
    subagents: trackSubagents(carry),
    ...given({
      isSubagent: typeof carry?.isSubagent === 'boolean' ? carry.isSubagent : undefined,
      cwd: asText(carry?.cwd),
    }),
  }
}

function finishReading(
  { files, usage, subagents, isSubagent, cwd, prompts, ...rest }: Reading,
  items: number,
): TranscriptReading {
  return {
    items,
    ...rest,
    // The prompts of a subagent come from the agent.
    prompts: isSubagent ? [] : prompts,
    files: [...files],
    tokens: usage.tokens,
    subagents: subagents.finished,
    carry: { ...usage.carry(), ...subagents.carry(), ...given({ isSubagent, cwd }) },
  }
}

type Reader = (payload: JsonObject, reading: Reading, record: JsonObject) => void

const records: Record<string, Reader> = {
  session_meta(meta, reading) {
    // A fork by an older version repeats the lines it continues from, the first one included.
    reading.isSubagent ??= originOf(meta).isSubagent
    noteDirectory(meta, reading)
  },
  turn_context(context, reading) {
    const model = asText(context.model)
    if (model !== undefined) reading.model = model
    noteDirectory(context, reading)
  },
  token_usage_record: (payload, { usage }, record) => usage.record(payload, asString(record.timestamp) ?? ''),
  response_item(payload, reading, record) {
    const id = asText(payload.id)
    if (id !== undefined) reading.lastId = id
    readWith(responses, payload, reading, record)
  },
  event_msg: (payload, reading, record) => readWith(events, payload, reading, record),
}

const responses: Record<string, Reader> = {
  message(message, reading, record) {
    if (message.role === 'assistant') return noteAnswer(message, reading, record)
    if (message.role !== 'user') return
    const prompt = codexPromptOf(message)
    if (prompt !== undefined) reading.prompts.push(prompt)
    for (const part of asArray(message.content))
      reading.subagents.notification(asString(asObject(part)?.text) ?? '')
  },
  function_call_output: (payload, reading) => noteFiles(printedFiles(payload.output), reading),
  custom_tool_call_output: (payload, reading) => noteFiles(printedFiles(payload.output), reading),
  agent_message: (payload, { subagents }) => subagents.message(asText(payload.author)),
}

const events: Record<string, Reader> = {
  token_count: (payload, { usage }) => usage.total(asObject(payload.info)),
  patch_apply_end: (payload, reading) =>
    noteFiles(payload.success === true ? changesOf(payload) : [], reading),
  item_completed(payload, reading) {
    const item = asObject(payload.item)
    if (item?.type === 'FileChange' && (item.status ?? 'completed') === 'completed')
      noteFiles(changesOf(item), reading)
    if (item) reading.subagents.item(item)
  },
}

function readRecord(record: JsonObject, payload: JsonObject, reading: Reading): void {
  const type = asString(record.type) ?? ''
  if (Object.hasOwn(records, type)) records[type]?.(payload, reading, record)
}

function readWith(
  readers: Record<string, Reader>,
  payload: JsonObject,
  reading: Reading,
  record: JsonObject,
): void {
  const type = asString(payload.type) ?? ''
  if (Object.hasOwn(readers, type)) readers[type]?.(payload, reading, record)
}

function noteAnswer(message: JsonObject, reading: Reading, record: JsonObject): void {
  // A summary for the model, not an answer.
  if (asObject(record.metadata)?.compaction_output === true) return
  const text = asArray(message.content)
    .flatMap((part) => asText(asObject(part)?.text) ?? [])
    .join('\n')
    .trim()
  if (text !== '') reading.summary = text
}

function noteDirectory({ cwd }: JsonObject, reading: Reading): void {
  const dir = asText(cwd)
  if (dir !== undefined) reading.cwd = dir
}

function noteFiles(paths: string[], { files, cwd }: Reading): void {
  for (const path of paths) files.add(resolveFile(path, cwd))
}

function entriesOf(record: JsonObject): TranscriptEntry[] {
  const payload = asObject(record.payload) ?? {}
  if (record.type === 'event_msg') return nestedTool(asObject(payload.item))
  if (record.type !== 'response_item') return []
  if (payload.type === 'message')
    return asObject(record.metadata)?.compaction_output === true ? [] : messageEntries(payload)
  if (payload.type === 'function_call')
    return [{ role: 'tool', name: nameOf(payload), text: argumentsOf(payload) }]
  // In a script the model calls its tools, and what they did has records of its own.
  if (payload.type === 'custom_tool_call' && payload.name !== 'exec') {
    return [{ role: 'tool', name: nameOf(payload), text: patchedFiles(asString(payload.input) ?? '') }]
  }
  return []
}

function messageEntries(message: JsonObject): TranscriptEntry[] {
  const prompt = codexPromptOf(message)
  if (prompt !== undefined) return [{ role: 'user', text: prompt }]
  const texts = asArray(message.content).flatMap((part) => asText(asObject(part)?.text) ?? [])
  return message.role === 'assistant' && texts.length > 0
    ? [{ role: 'assistant', text: texts.join('\n').trim() }]
    : []
}

/** Only tools that a script called: other tools have a record of their call. */
function nestedTool(item: JsonObject | undefined): TranscriptEntry[] {
  if (!asText(item?.id)?.startsWith('exec-')) return []
  if (item?.type === 'CommandExecution')
    return [{ role: 'tool', name: 'exec_command', text: asStrings(item.command).at(-1) ?? '' }]
  return item?.type === 'FileChange'
    ? [{ role: 'tool', name: 'apply_patch', text: changesOf(item).join(', ') }]
    : []
}

function nameOf({ name }: JsonObject): string {
  return asText(name) ?? 'unknown'
}

function argumentsOf(call: JsonObject): string {
  const input = asObject(parseJson(asString(call.arguments) ?? ''))
  const words = asStrings(input?.command)
  return (
    asText(input?.cmd) ?? asText(input?.message) ?? (words.length > 0 ? words.join(' ') : toolDetail(input))
  )
}

function patchedFiles(patch: string): string {
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path]) => path).join(', ')
}
