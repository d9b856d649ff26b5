// Where Copilot CLI keeps its sessions: a directory each, for all projects together.

import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Env, SessionResumer } from '../../model/agent.ts'
import type { AgentEvent } from '../../model/event.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { readLastLines } from '../shared/file-tail.ts'
import { asText } from '../shared/hook-table.ts'
import { cleanPrompt } from '../shared/message-text.ts'

const log = 'events.jsonl'

export const copilotResume: SessionResumer = {
  sessionDir: (_root, env) => env.ENTIRE_TEST_COPILOT_SESSION_DIR || join(copilotHome(env), 'session-state'),
  // The directory may be that of the session already, where its hooks have named the file.
  sessionFile: (dir, session) => join(dir, ...(basename(dir) === session ? [] : [session]), log),
  // As Copilot CLI itself prints it.
  command: (session) => `copilot --resume=${session}`,
}

export function copilotHome(env: Env): string {
  return env.COPILOT_HOME || join(env.HOME || homedir(), '.copilot')
}

/** Undefined for an id that cannot be the name of a directory. */
export function transcriptOf(session: string, env: Env): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(session)) return undefined
  return join(env.ENTIRE_TEST_COPILOT_SESSION_DIR || join(copilotHome(env), 'session-state'), session, log)
}

/** The session a transcript belongs to. */
export function sessionOf(transcript: string): string | undefined {
  return basename(transcript) === log ? basename(dirname(transcript)) : undefined
}

// Copilot CLI writes its transcript a moment late: when a short turn ends, even the file may be missing. It arrives while the hook runs.

// It was seen to take 100 ms.
const patienceMs = 1_000
const pauseMs = 15
const tailBytes = 64 * 1024

export function readTail(transcript: string): string[] {
  return readLastLines(transcript, tailBytes)
}

/** Returns when the last lines are what is waited for, or when waiting longer is useless. */
export async function awaitTail(transcript: string, isComplete: (lines: string[]) => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (let seen = -1; performance.now() < deadline; await Bun.sleep(pauseMs)) {
    const size = statSync(transcript, { throwIfNoEntry: false })?.size ?? -1
    if (size === seen) continue
    seen = size
    if (isComplete(readTail(transcript))) return
  }
}

// What a turn did is read from the transcript once it tells of the hook that ends the turn.

/** Returns when the transcript tells of the hook that the event comes from, or when waiting longer is useless. */
export async function prepareTranscript(transcript: string, event: AgentEvent): Promise<undefined> {
  const time = Date.parse(event.timestamp ?? '')
  // Other programs run the same hooks, and keep no record of them.
  if (Number.isNaN(time) || sessionOf(transcript) === undefined) return
  await awaitTail(transcript, (lines) => lines.some((line) => startsHook(line, time)))
}

/** The transcript repeats what a hook is told; the time in there is that of the payload. */
function startsHook(line: string, time: number): boolean {
  if (!line.includes('"hook.start"') || !line.includes(String(time))) return false
  const entry = asObject(parseJson(line))
  return entry?.type === 'hook.start' && asObject(asObject(entry.data)?.input)?.timestamp === time
}

// What was typed, in a Copilot CLI session: messages of the user may also come from skills, other agents, the autopilot and hooks.

const injected = /<(current_datetime|reminder|system_reminder|system_notification)>[\s\S]*?<\/\1>/g

export function cleanTyped(prompt: string): string | undefined {
  return cleanPrompt(prompt.replace(injected, ''))
}

/** `blocked`: why a hook did not let the agent stop, which the agent then takes for the next message. */
export function typedText(event: JsonObject, blocked: string | undefined): string | undefined {
  const data = asObject(event.data)
  if (event.type !== 'user.message' || event.agentId !== undefined || data === undefined) return undefined
  const source = asText(data.source)
  if ((source !== undefined && source !== 'user') || data.isAutopilotContinuation === true) return undefined
  const content = asText(data.content)
  if (content !== undefined && content === blocked) return undefined
  return cleanTyped(content ?? asText(data.transformedContent) ?? '')
}

/** Of an event that says that a hook did not let the agent stop. */
export function blockReason(event: JsonObject | undefined): string | undefined {
  const data = asObject(event?.data)
  if (event?.type !== 'hook.end' || event.agentId !== undefined || data?.hookType !== 'agentStop')
    return undefined
  const output = asObject(data.output)
  return output?.decision === 'block' ? asText(output.reason) : undefined
}
