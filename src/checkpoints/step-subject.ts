// Makes the subject lines of steps, and shortens prompts for display.
import { asArray, asObject, asString } from '../std/json.ts'

const politeness =
  /^(?:(?:can you|please|let's|could you|would you|i want you to|i'd like you to|i need you to) )+/i

/** A prompt as a subject line. */
export function stepSubject(prompt: string, agentType: string): string {
  const request = oneLine(prompt).replace(politeness, '').replace(/\?$/, '').trim()
  const [first = '', ...rest] = firstRunes(request, 72)
  const subject = (first.toUpperCase() + rest.join('')).trimEnd()
  return subject === '' ? `${agentType || 'Agent'} session updates` : subject
}

/** The subject of the state before a turn. */
export function beforeSubject(prompt: string, agentType: string): string {
  return `Before: ${prompt === '' ? `${agentType || 'Agent'} session` : stepSubject(prompt, agentType)}`
}

/** The subject of a finished subagent. */
export function taskSubject(task: {
  toolUse: string
  type?: string | undefined
  description?: string | undefined
}): string {
  const id = shortId(task.toolUse)
  const description = cutBytes(oneLine(task.description ?? ''), 60)
  if (!task.type && description === '') return `Task: ${id}`
  const kind = task.type ? `'${oneLine(task.type)}' agent` : 'agent'
  return `Completed ${kind}${description === '' ? '' : `: ${description}`} (${id})`
}

/** The subject of a running subagent. */
export function incrementalSubject(step: {
  toolUse: string
  sequence: number
  todo?: string | undefined
}): string {
  const todo = cutBytes(oneLine(step.todo ?? ''), 60)
  return todo === ''
    ? `Checkpoint #${step.sequence}: ${shortId(step.toolUse)}`
    : `${todo} (${shortId(step.toolUse)})`
}

/** The item of a to-do list that was completed last. */
export function todoText(toolInput: unknown): string | undefined {
  const todos = asArray(asObject(toolInput)?.todos).map(asObject)
  const done = todos.findLast((todo) => todo?.status === 'completed')
  if (done !== undefined) return asString(done.content)
  return todos.length > 0 ? `Planning: ${todos.length} todos` : undefined
}

/** The prompt that names a session. */
export function firstPromptText(prompt: string): string {
  return cutRunes(oneLine(prompt), 100)
}

/** The prompt shown while committing. */
export function displayPrompt(prompt: string): string {
  return cutRunes(oneLine(prompt), 80)
}

// A line break in a subject would let a prompt write trailers.
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function shortId(toolUse: string): string {
  return toolUse.slice(0, 12)
}

function firstRunes(text: string, count: number): string[] {
  return Array.from(text.slice(0, count * 2)).slice(0, count)
}

function cutRunes(text: string, max: number): string {
  const runes = firstRunes(text, max + 1)
  return runes.length <= max ? text : `${runes.slice(0, max - 3).join('')}...`
}

/** At most `max` bytes of UTF-8, whole characters only. */
function cutBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text
  let kept = ''
  for (const rune of text) {
    if (Buffer.byteLength(kept + rune) > max - 3) break
    kept += rune
  }
  return `${kept}...`
}
