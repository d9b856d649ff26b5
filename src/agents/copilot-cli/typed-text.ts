// What was typed, in a Copilot CLI session: messages of the user may also come from skills, other agents, the autopilot and hooks.
import { asObject, type JsonObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { cleanPrompt } from '../prompt-text.ts'

const injected = /<(current_datetime|reminder|system_reminder|system_notification)>[\s\S]*?<\/\1>/g

export function cleanTyped(prompt: string): string | undefined {
  return cleanPrompt(prompt.replace(injected, ''))
}

/** `blocked`: why a hook did not let the agent stop, which the agent then takes for the next message. */
export function typedText(event: JsonObject, blocked: string | undefined): string | undefined {
  const data = asObject(event.data)
  if (event.type !== 'user.message' || event.agentId !== undefined || data === undefined) return undefined
  const source = text(data.source)
  if ((source !== undefined && source !== 'user') || data.isAutopilotContinuation === true) return undefined
  const content = text(data.content)
  if (content !== undefined && content === blocked) return undefined
  return cleanTyped(content ?? text(data.transformedContent) ?? '')
}

/** Of an event that says that a hook did not let the agent stop. */
export function blockReason(event: JsonObject | undefined): string | undefined {
  const data = asObject(event?.data)
  if (event?.type !== 'hook.end' || event.agentId !== undefined || data?.hookType !== 'agentStop') return undefined
  const output = asObject(data.output)
  return output?.decision === 'block' ? text(output.reason) : undefined
}
