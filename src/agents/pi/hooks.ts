// Turns the events that Entire's extension for Pi passes on into events of the model. They have the names of
// Pi.

import { basename, dirname } from 'node:path'
import type { AgentEvent } from '../../model/event.ts'
import type { Environment } from '../../std/environment.ts'
import { given } from '../../std/given.ts'
import { asArray, asObject, type JsonObject } from '../../std/json.ts'
import {
  asText,
  type BaseFields,
  type HookBase,
  type HookTable,
  hookParser,
  plainId,
} from '../shared/hook-table.ts'
import { cleanPrompt } from '../shared/message-text.ts'

export const piHooks: HookTable = {
  session_start: (payload, base) => ({ type: 'session-start', ...commonFields(payload, base) }),
  before_agent_start: (payload, base) => ({
    type: 'turn-start',
    ...commonFields(payload, base),
    ...given({ prompt: cleanPiPrompt(asText(payload.prompt) ?? '') }),
  }),
  agent_start: (payload, base) => ({ type: 'turn-start', ...commonFields(payload, base) }),
  agent_end: (payload, base) => ({ type: 'turn-end', ...commonFields(payload, base) }),
  session_compact: (payload, base) => ({ type: 'compaction', ...commonFields(payload, base) }),
  tool_call: (payload, base) => ({ type: 'subagent-start', ...base, ...taskFields(payload) }),
  tool_result: (payload, base) => ({ type: 'subagent-end', ...base, ...taskFields(payload) }),
  session_shutdown: (payload, base) =>
    payload.reason === 'reload' ? null : { type: 'session-end', ...base },
}

const piFields: BaseFields = (payload) => {
  const file = asText(payload.session_file)
  return {
    session: asText(payload.session_id) ?? (file === undefined ? undefined : sessionIdOf(file)),
    transcript: file,
  }
}

const parse = hookParser('pi', piHooks, piFields)

/** The reference program's extension names no session when one ends, and elsewhere only its file. */
export function parsePiHook(verb: string, payload: JsonObject, env: Environment): AgentEvent | null {
  if (verb === 'session_shutdown' && piFields(payload, env).session === undefined) return null
  return parse(verb, payload, env)
}

// A resume and a fork both start like a new session; only a fork has a parent.
function commonFields(
  payload: JsonObject,
  base: HookBase,
): HookBase & Pick<AgentEvent, 'model' | 'previousSession'> {
  const parent = asText(payload.parent_session)
  return {
    ...base,
    ...given({
      model: asText(payload.model),
      previousSession: parent === undefined ? undefined : sessionIdOf(parent),
    }),
  }
}

// The input has one agent and its task, or several of them, parallel or in sequence.
function taskFields(
  payload: JsonObject,
): Pick<AgentEvent, 'toolUse' | 'toolName' | 'toolInput' | 'subagentType' | 'taskDescription'> {
  const call = asText(payload.tool_use_id)
  const input = asObject(payload.tool_input)
  const first = [input, ...asArray(input?.tasks), ...asArray(input?.chain)]
    .map(asObject)
    .find((task) => asText(task?.task) !== undefined)
  return given({
    toolUse: call === undefined ? undefined : plainId(call),
    toolName: asText(payload.tool_name),
    toolInput: payload.tool_input,
    subagentType: asText(first?.agent),
    taskDescription: asText(first?.task),
  })
}

// Before a prompt reaches the model, Pi replaces the names of skills and files by their content.
const expanded: [RegExp, (name: string) => string][] = [
  [/^<file name="([^"\n]*)">(?:\n[\s\S]*?\n|[^\n]*)<\/file>\n/, (name) => `@${name}`],
  [/^<skill name="([^"\n]*)" location="[^"\n]*">\n[\s\S]*?\n<\/skill>(?:\n\n|$)/, (name) => `/skill:${name}`],
]

/** What the user typed; undefined when Pi injected all of it. */
export function cleanPiPrompt(prompt: string): string | undefined {
  const names: string[] = []
  let rest = prompt
  for (let found = findExpanded(rest); found !== undefined; found = findExpanded(rest)) {
    names.push(found.typed)
    rest = rest.slice(found.length)
  }
  return cleanPrompt([...names, rest].join(' '))
}

function findExpanded(text: string): { typed: string; length: number } | undefined {
  for (const [pattern, typed] of expanded) {
    const match = pattern.exec(text)
    if (match) return { typed: typed(match[1] ?? ''), length: match[0].length }
  }
  return undefined
}

/**
 * Session files are `<time>_<id>.jsonl`, or `<time>_<parent id>/<subagent>/<run>/session.jsonl` for
 * subagents.
 */
function sessionIdOf(file: string): string | undefined {
  const path = file.replaceAll('\\', '/')
  const name = basename(path).replace(/\.jsonl?$/, '')
  return (name === 'session' ? subagentId(dirname(path)) : undefined) ?? afterLastUnderscore(name)
}

function subagentId(runDir: string): string | undefined {
  const subagentDir = dirname(runDir)
  const parent = afterLastUnderscore(basename(dirname(subagentDir)))
  const parts = [parent, basename(subagentDir), basename(runDir)]
  return parts.every((part) => part !== undefined && /^[\w-][\w.-]*$/.test(part))
    ? parts.join('_')
    : undefined
}

function afterLastUnderscore(name: string): string | undefined {
  return name.slice(name.lastIndexOf('_') + 1) || undefined
}
