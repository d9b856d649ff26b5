// The beginning of a rollout: its first line says whose thread it is, the next ones what was asked of it.

import { closeSync, openSync, readSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { given } from '../../std/given.ts'
import { asArray, asObject, asString, asStrings, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { cleanPrompt } from '../shared/message-text.ts'

// The first line holds the instructions of the model; what a subagent was told follows soon after.
const headBytes = 256 * 1024

export interface Origin {
  /** A thread that another one started: none of its turns are the user's. */
  isSubagent: boolean
  /** The thread this one continues under an id of its own. */
  forkedFrom?: string
  /** What the parent calls it. */
  name?: string
}

export function originOf(meta: JsonObject): Origin {
  const isSubagent = meta.thread_source === 'subagent' || asObject(meta.source)?.subagent !== undefined
  return {
    isSubagent,
    ...given({
      forkedFrom: asText(meta.forked_from_id),
      name: asText(meta.agent_path) ?? asText(meta.agent_nickname),
    }),
  }
}

/** Undefined when there is no such file, or it begins with something else. */
export function readOrigin(path: string): Origin | undefined {
  const meta = payloadOf(readHead(path)[0], 'session_meta')
  return meta && originOf(meta)
}

/** What a subagent was told to do, or else what it is called. */
export function readTask(path: string): string | undefined {
  const lines = readHead(path)
  const prompts = lines.flatMap((line) => {
    const message = payloadOf(line, 'response_item')
    return (message && promptOf(message)) ?? []
  })
  const meta = payloadOf(lines[0], 'session_meta')
  return prompts[0] ?? (meta && originOf(meta).name)
}

function payloadOf(line: string | undefined, type: string): JsonObject | undefined {
  const record = asObject(parseJson(line ?? ''))
  return record?.type === type ? asObject(record.payload) : undefined
}

function readHead(path: string): string[] {
  try {
    const fd = openSync(path, 'r')
    try {
      const buffer = Buffer.alloc(headBytes)
      return buffer.toString('utf8', 0, readSync(fd, buffer, 0, headBytes, 0)).split('\n')
    } finally {
      closeSync(fd)
    }
  } catch {
    return []
  }
}

// What the user typed, among the messages that Codex sends in the user's name.

const injectedBlocks = [
  'environment_context',
  'user_instructions',
  'subagent_notification',
  'turn_aborted',
  'hook_prompt',
  'skill',
  'user_shell_command',
  'user_action',
]
const injected = new RegExp(
  `^\\s*(?:<(?:${injectedBlocks.join('|')})[\\s>]|</?image\\b|# AGENTS\\.md instructions)`,
)
// Editors put what is open in them before the prompt.
const editorContext = /^# Context from my IDE setup:[\s\S]*?^## My request for Codex:\n/m

/** Of a message in the user's name: some say of each part what it is, older ones have to be recognised. */
export function promptOf(message: JsonObject): string | undefined {
  if (message.type !== 'message' || message.role !== 'user') return undefined
  const kinds = asStrings(asObject(message.internal_chat_message_metadata_passthrough)?.content_item_kinds)
  const parts = asArray(message.content).flatMap((part, at) => {
    const isTyped = kinds.length === 0 || kinds[at]?.startsWith('user.')
    return (isTyped && typedText(asText(asObject(part)?.text) ?? '')) || []
  })
  return parts.length === 0 ? undefined : parts.join('\n')
}

/** Undefined when nothing of it was typed. */
export function typedText(words: string): string | undefined {
  return injected.test(words) ? undefined : cleanPrompt(words.replace(editorContext, ''))
}

// Files that a rollout says were written: as an item of its own, or in what the tool printed where there is no item.

const printed = /^Success\. Updated the following files:\n((?:[AMD] .+(?:\n|$))+)/m

/** Of a patch that was applied: paths, and where files were moved to. */
export function changesOf(patch: JsonObject): string[] {
  return Object.entries(asObject(patch.changes) ?? {}).flatMap(([path, change]) => [
    path,
    ...movedTo(asObject(change)),
  ])
}

function movedTo(change: JsonObject | undefined): string[] {
  const path = asText(change?.move_path) ?? asText(asObject(change?.update)?.move_path)
  return path === undefined ? [] : [path]
}

/** Of what a tool gave back: patches that are applied through the shell are seen nowhere else. */
export function printedFiles(output: unknown): string[] {
  const list = printed.exec(wordsOf(output))?.[1] ?? ''
  return list.split('\n').flatMap((line) => line.slice(2) || [])
}

/** Where a path is meant: tools name files from the directory the session works in. */
export function resolveFile(path: string, cwd: string | undefined): string {
  return isAbsolute(path) || cwd === undefined ? path : join(cwd, path)
}

// Text, parts of text, or in older versions an object written as text.
function wordsOf(output: unknown): string {
  if (typeof output !== 'string')
    return asArray(output)
      .map((part) => asString(asObject(part)?.text) ?? '')
      .join('\n')
  return output.startsWith('{') ? (asString(asObject(parseJson(output))?.output) ?? output) : output
}
