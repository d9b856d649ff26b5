// Keeps a session of piglet: its tree of entries in memory, and every change to it on disk.

import { join } from 'node:path'
import { EntireError } from '../../std/errors.ts'
import { asArray, asObject, asString, type Json } from '../../std/json.ts'
import type { RandomHex } from '../../std/random.ts'
import type { Clock } from '../../std/time.ts'
import { assistantText, type ChatMessage, noTime, parseChatMessage } from '../conversation/message.ts'
import { repair } from '../conversation/repair.ts'
import { checkLine, LineFile, readSessionFile, type SessionContent } from './session-file.ts'
import {
  activeBranch,
  type EntryInfo,
  entryInfos,
  entryLine,
  fullTree,
  metaLine,
  ownTypes,
  type SessionEntry,
  type SessionMeta,
  type SessionTree,
  type TreeNode,
} from './tree.ts'

export interface SessionContext {
  dir: string
  clock: Clock
  random: RandomHex
}

/** Nothing is written before the first entry. */
export function newPigletSession(
  context: SessionContext,
  about: { cwd: string; model?: string },
): PigletSession {
  const id = uuid(context.random)
  const meta: SessionMeta = { id, ...about, createdAt: context.clock().toISOString() }
  const path = join(context.dir, `${id}.jsonl`)
  return new PigletSession(context, path, { meta, entries: new Map(), leaf: undefined }, false)
}

export function loadPigletSession(context: SessionContext, path: string): PigletSession {
  return new PigletSession(context, path, readSessionFile(path), true)
}

export class PigletSession {
  readonly path: string
  readonly #context: SessionContext
  readonly #file: LineFile
  readonly #entries: Map<string, SessionEntry>
  #meta: SessionMeta
  #leaf: string | undefined
  /** Whether the file has, or is about to have, a meta line. */
  #hasMeta: boolean

  constructor(context: SessionContext, path: string, content: SessionContent, isOnDisk: boolean) {
    this.path = path
    this.#context = context
    this.#file = new LineFile(path)
    this.#entries = content.entries
    this.#meta = content.meta
    this.#leaf = content.leaf
    this.#hasMeta = isOnDisk
  }

  meta(): SessionMeta {
    return this.#meta
  }

  messages(): ChatMessage[] {
    return branchMessages(activeBranch(this.#tree()))
  }

  infos(): EntryInfo[] {
    return entryInfos(this.#tree())
  }

  fullTree(): TreeNode[] {
    return fullTree(this.#tree())
  }

  async addMessage(message: ChatMessage): Promise<SessionEntry> {
    return await this.#append(message.role, message)
  }

  async addCustomMessage(role: 'user' | 'assistant', text: string): Promise<void> {
    await this.#append('custom_message', { role, content: text })
  }

  /** From here on the conversation consists of these messages. */
  async addReplacement(messages: ChatMessage[], tokensBefore: number): Promise<void> {
    const data = messages.map((message) => ({ type: message.role, data: message, ts: noTime }))
    await this.#append('compact', data, { tokensBefore })
  }

  /** Adds an entry of an extension. */
  async addOwn(kind: string, data: unknown): Promise<void> {
    if ((ownTypes as readonly string[]).includes(kind))
      throw new EntireError(
        'bad-usage',
        `${kind} is a kind of the session's own; name yours like ext:<extension>:<what>.`,
      )
    await this.#append(kind, data ?? null)
  }

  async label(targetId: string, label: string): Promise<void> {
    this.#requireEntry(targetId)
    await this.#append('label', { targetId, label })
  }

  /** Continues after an earlier entry; the entries that followed it stay in the tree. */
  async branch(entryId: string, summary: string): Promise<void> {
    this.#requireEntry(entryId)
    await this.#append('branch_summary', { summary, fromId: this.#leaf ?? '' }, { parent: entryId })
  }

  /** Starts a second root beside the first. */
  async reset(): Promise<void> {
    await this.#append('branch_summary', { summary: '', fromId: this.#leaf ?? '' }, { parent: undefined })
  }

  async change(fields: Partial<SessionMeta>): Promise<void> {
    this.#meta = { ...this.#meta, ...fields }
    this.#hasMeta = true
    await this.#file.append(metaLine(this.#meta, this.#context.clock()))
  }

  /** Does not create the file of a session without entries. */
  async useModel(model: string): Promise<void> {
    if (this.#hasMeta) await this.change({ model })
    else this.#meta = { ...this.#meta, model }
  }

  #tree(): SessionTree {
    return { entries: this.#entries, leaf: this.#leaf }
  }

  async #append(
    type: string,
    data: unknown,
    at: { parent?: string | undefined; tokensBefore?: number } = {},
  ): Promise<SessionEntry> {
    const entry: SessionEntry = {
      id: this.#freshId(),
      parentId: 'parent' in at ? at.parent : this.#leaf,
      type,
      timestamp: this.#context.clock().toISOString(),
      data: data as Json,
      ...(at.tokensBefore ? { tokensBefore: at.tokensBefore } : {}),
    }
    const line = entryLine(entry)
    checkLine(line)
    this.#entries.set(entry.id, entry)
    this.#leaf = entry.id
    await this.#write(line)
    return entry
  }

  async #write(line: string): Promise<void> {
    // If writing the meta line fails, it is written with the line that follows.
    if (!this.#hasMeta) this.#file.append(metaLine(this.#meta, this.#context.clock())).catch(() => {})
    this.#hasMeta = true
    await this.#file.append(line)
  }

  #freshId(): string {
    const id = this.#context.random(4)
    return this.#entries.has(id) ? this.#freshId() : id
  }

  #requireEntry(id: string): void {
    // The protocol fixes these words.
    if (!this.#entries.has(id)) throw new EntireError('not-found', `entry ${id} not found`)
  }
}

function uuid(random: RandomHex): string {
  const hex = random(16)
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-')
}

/** The author of an assistant message that no model made. */
const customAuthor = { model: 'custom', provider: 'custom' }

/** The conversation that a branch of entries stands for. */
function branchMessages(branch: SessionEntry[]): ChatMessage[] {
  let messages: ChatMessage[] = []
  for (const entry of branch) {
    // A compaction replaces everything before it.
    if (entry.type === 'compact')
      messages = asArray(entry.data).flatMap((item) =>
        messageOf(asString(asObject(item)?.type) ?? '', asObject(item)?.data, entry),
      )
    else messages.push(...messageOf(entry.type, entry.data, entry))
  }
  return repair(messages)
}

function messageOf(type: string, data: unknown, { timestamp }: SessionEntry): ChatMessage[] {
  if (type !== 'custom_message') {
    const message = parseChatMessage(type, data)
    return message
      ? [message.timestamp === noTime && timestamp !== '' ? { ...message, timestamp } : message]
      : []
  }
  return [
    customMessage(asString(asObject(data)?.role) ?? '', asString(asObject(data)?.content) ?? '', timestamp),
  ]
}

export function customMessage(role: string, content: string, timestamp: string): ChatMessage {
  if (role !== 'assistant') return { role: 'user', content, timestamp }
  return { ...assistantText(content, customAuthor, new Date(0)), timestamp }
}

/** Copies the conversation to a new session that records where it comes from. */
export async function forkPigletSession(
  context: SessionContext,
  from: PigletSession,
): Promise<{ session: PigletSession; count: number }> {
  const meta = from.meta()
  const messages = from.messages()
  const session = newPigletSession(context, { cwd: meta.cwd })
  await session.change({})
  await session.change({
    ...(meta.model ? { model: meta.model } : {}),
    parentId: meta.id,
    forkPoint: messages.length,
  })
  for (const message of messages) await session.addMessage(message)
  return { session, count: messages.length }
}
