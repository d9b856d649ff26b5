// Reads records of a rollout: the origin of a thread, the task of a subagent, prompts, and files that were
// written.

import { closeSync, readSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { openRegular } from '../../std/file.ts'
import { given } from '../../std/given.ts'
import { asArray, asObject, asString, asStrings, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { cleanPrompt } from '../shared/message-text.ts'

// The first line holds the instructions for the model; the task of a subagent follows soon after.
const headBytes = 256 * 1024

export interface Origin {
  /** Another thread started this one: none of its turns are the user's. */
  isSubagent: boolean
  /** The thread that this one continues under a new id. */
  forkedFrom?: string
  /** The name that the parent gave it. */
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

/** Undefined when there is no such file, or it does not begin as a rollout does. */
export function readOrigin(path: string): Origin | undefined {
  const meta = payloadOf(readHead(path)[0], 'session_meta')
  return meta && originOf(meta)
}

/** The task of a subagent, or else its name. */
export function readTask(path: string): string | undefined {
  const lines = readHead(path)
  const prompts = lines.flatMap((line) => {
    const message = payloadOf(line, 'response_item')
    return (message && codexPromptOf(message)) ?? []
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
    const fd = openRegular(path)
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

// Codex sends these in the user's name.
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
// Editors put the files that are open before the prompt.
const contextStart = /^# Context from my IDE setup:/m
const contextEnd = '\n## My request for Codex:\n'

/** What the user typed of a message in the user's name. Newer versions mark the kind of each part. */
export function codexPromptOf(message: JsonObject): string | undefined {
  if (message.type !== 'message' || message.role !== 'user') return undefined
  const kinds = asStrings(asObject(message.internal_chat_message_metadata_passthrough)?.content_item_kinds)
  const parts = asArray(message.content).flatMap((part, at) => {
    const isTyped = kinds.length === 0 || kinds[at]?.startsWith('user.')
    return (isTyped && cleanCodexPrompt(asText(asObject(part)?.text) ?? '')) || []
  })
  return parts.length === 0 ? undefined : parts.join('\n')
}

/** What the user typed; undefined when Codex injected all of it. */
export function cleanCodexPrompt(text: string): string | undefined {
  return injected.test(text) ? undefined : cleanPrompt(withoutEditorContext(text))
}

function withoutEditorContext(text: string): string {
  const start = contextStart.exec(text)?.index
  const end = start === undefined ? -1 : text.indexOf(contextEnd, start)
  return start === undefined || end === -1 ? text : text.slice(0, start) + text.slice(end + contextEnd.length)
}

const printed = /^Success\. Updated the following files:\n((?:[AMD] .+(?:\n|$))+)/m

/** The files of a patch that was applied, and the paths they were moved to. */
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

/** The files in the output of a tool: patches applied through the shell are seen nowhere else. */
export function printedFiles(output: unknown): string[] {
  const list = printed.exec(outputText(output))?.[1] ?? ''
  return list.split('\n').flatMap((line) => line.slice(2) || [])
}

/** The file that a tool means: paths are relative to the directory the session works in. */
export function resolveFile(path: string, cwd: string | undefined): string {
  return isAbsolute(path) || cwd === undefined ? path : join(cwd, path)
}

// Output is text, parts of text, or in older versions a JSON object as text.
function outputText(output: unknown): string {
  if (typeof output !== 'string')
    return asArray(output)
      .map((part) => asString(asObject(part)?.text) ?? '')
      .join('\n')
  return output.startsWith('{') ? (asString(asObject(parseJson(output))?.output) ?? output) : output
}
