// What the events mean that our extension passes on. They have Pi's own names.

import { basename, dirname } from 'node:path'
import type { Env } from '../../model/agent.ts'
import type { AgentEvent } from '../../model/event.ts'
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
  session_start: (payload, base) => ({ type: 'session-start', ...said(payload, base) }),
  before_agent_start: (payload, base) => ({
    type: 'turn-start',
    ...said(payload, base),
    ...given({ prompt: typedPrompt(asText(payload.prompt) ?? '') }),
  }),
  agent_start: (payload, base) => ({ type: 'turn-start', ...said(payload, base) }),
  agent_end: (payload, base) => ({ type: 'turn-end', ...said(payload, base) }),
  session_compact: (payload, base) => ({ type: 'compaction', ...said(payload, base) }),
  tool_call: (payload, base) => ({ type: 'subagent-start', ...base, ...delegated(payload) }),
  tool_result: (payload, base) => ({ type: 'subagent-end', ...base, ...delegated(payload) }),
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
export function parsePiHook(verb: string, payload: JsonObject, env: Env): AgentEvent | null {
  if (verb === 'session_shutdown' && piFields(payload, env).session === undefined) return null
  return parse(verb, payload, env)
}

// A resume and a fork both start like a new session; only a fork has a parent.
function said(payload: JsonObject, base: HookBase): HookBase & Pick<AgentEvent, 'model' | 'previousSession'> {
  const parent = asText(payload.parent_session)
  return {
    ...base,
    ...given({
      model: asText(payload.model),
      previousSession: parent === undefined ? undefined : sessionIdOf(parent),
    }),
  }
}

// One agent and its task, or several of them, at once or in a row.
function delegated(
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

// Before a prompt reaches the model, Pi puts skills and files in the place of their names; people know it by what they typed.

const expanded: [RegExp, (name: string) => string][] = [
  [/^<file name="([^"\n]*)">(?:\n[\s\S]*?\n|[^\n]*)<\/file>\n/, (name) => `@${name}`],
  [/^<skill name="([^"\n]*)" location="[^"\n]*">\n[\s\S]*?\n<\/skill>(?:\n\n|$)/, (name) => `/skill:${name}`],
]

/** What the user typed, or undefined when nothing of it is theirs. */
export function typedPrompt(prompt: string): string | undefined {
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

// Pi names the file of a session after its id, except for those of subagents: their directories tell them apart.

/** `<time>_<id>.jsonl`, or `<time>_<parent id>/<subagent>/<run>/session.jsonl`. */
export function sessionIdOf(file: string): string | undefined {
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
