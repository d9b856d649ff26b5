// A session that is being used: its tree in memory, and every change to it on disk.

import { join } from 'node:path'
import { EntireError } from '../../std/errors.ts'
import { asArray, asObject, asString, type Json } from '../../std/json.ts'
import type { RandomHex } from '../../std/random.ts'
import type { Clock } from '../../std/time.ts'
import { assistantText, type ChatMessage, noTime, parseChatMessage } from '../conversation/message.ts'
import { repair } from '../conversation/repair.ts'
import { checkLine, createLineFile, readSessionFile, type SessionContent } from './session-file.ts'
import {
  activeBranch,
  entryInfos,
  entryLine,
  fullTree,
  metaLine,
  ownTypes,
  type SessionEntry,
  type SessionMeta,
} from './tree.ts'

export interface SessionContext {
  dir: string
  clock: Clock
  random: RandomHex
}

export type PigletSession = ReturnType<typeof openContent>

/** Nothing is written before there is something to write. */
export function newPigletSession(
  context: SessionContext,
  about: { cwd: string; model?: string },
): PigletSession {
  const id = uuid(context.random)
  const meta: SessionMeta = { id, ...about, createdAt: context.clock().toISOString() }
  return openContent(
    context,
    join(context.dir, `${id}.jsonl`),
    { meta, entries: new Map(), leaf: undefined },
    false,
  )
}

export function loadPigletSession(context: SessionContext, path: string): PigletSession {
  return openContent(context, path, readSessionFile(path), true)
}

function openContent(context: SessionContext, path: string, content: SessionContent, isOnDisk: boolean) {
  const { clock, random } = context
  const file = createLineFile(path)
  const entries = content.entries
  let { meta, leaf } = content
  let hasMeta = isOnDisk

  async function write(line: string): Promise<void> {
    // Should it fail, it is written with the line that follows.
    if (!hasMeta) file.append(metaLine(meta, clock())).catch(() => {})
    hasMeta = true
    await file.append(line)
  }

  async function append(
    type: string,
    data: unknown,
    at: { parent?: string | undefined; tokensBefore?: number } = {},
  ): Promise<SessionEntry> {
    const entry: SessionEntry = {
      id: freshId(),
      parentId: 'parent' in at ? at.parent : leaf,
      type,
      timestamp: clock().toISOString(),
      data: data as Json,
      ...(at.tokensBefore ? { tokensBefore: at.tokensBefore } : {}),
    }
    const line = entryLine(entry)
    checkLine(line)
    entries.set(entry.id, entry)
    leaf = entry.id
    await write(line)
    return entry
  }

  async function change(fields: Partial<SessionMeta>): Promise<void> {
    meta = { ...meta, ...fields }
    hasMeta = true
    await file.append(metaLine(meta, clock()))
  }

  function freshId(): string {
    const id = random(4)
    return entries.has(id) ? freshId() : id
  }

  function requireEntry(id: string): void {
    if (!entries.has(id)) throw new EntireError('not-found', `entry ${id} not found`)
  }

  const tree = () => ({ entries, leaf })
  return {
    path,
    meta: (): SessionMeta => meta,
    messages: (): ChatMessage[] => branchMessages(activeBranch(tree())),
    infos: () => entryInfos(tree()),
    fullTree: () => fullTree(tree()),

    addMessage: (message: ChatMessage) => append(message.role, message),
    addCustomMessage: (role: 'user' | 'assistant', text: string) =>
      append('custom_message', { role, content: text }),
    /** From here on the conversation consists of these. */
    addReplacement: (messages: ChatMessage[], tokensBefore: number) =>
      append(
        'compact',
        messages.map((message) => ({ type: message.role, data: message, ts: noTime })),
        { tokensBefore },
      ),
    async addOwn(kind: string, data: unknown): Promise<void> {
      if ((ownTypes as readonly string[]).includes(kind))
        throw new EntireError(
          'bad-usage',
          `${kind} is a kind of the session's own; name yours like ext:<extension>:<what>.`,
        )
      await append(kind, data ?? null)
    },
    async label(targetId: string, label: string): Promise<void> {
      requireEntry(targetId)
      await append('label', { targetId, label })
    },
    /** Goes on behind an earlier entry; what came after it stays where it is. */
    async branch(entryId: string, summary: string): Promise<void> {
      requireEntry(entryId)
      await append('branch_summary', { summary, fromId: leaf ?? '' }, { parent: entryId })
    },
    /** A second beginning beside the first. */
    reset: () => append('branch_summary', { summary: '', fromId: leaf ?? '' }, { parent: undefined }),

    change,
    /** A session in which nothing was said yet is not written for it. */
    async useModel(model: string): Promise<void> {
      if (hasMeta) await change({ model })
      else meta = { ...meta, model }
    },
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

// The conversation that a branch of a session stands for.

/** Who wrote a message that no model made. */
export const customAuthor = { model: 'custom', provider: 'custom' }

export function branchMessages(branch: SessionEntry[]): ChatMessage[] {
  let messages: ChatMessage[] = []
  for (const entry of branch) {
    // Everything before it is in it, as far as it was worth keeping.
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

// A copy of a conversation as a session of its own, which knows where it comes from.

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
