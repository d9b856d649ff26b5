// A conversation and events as a host sends them, to see what an extension does with them.
import type { SentParams } from '../../protocol/extension.ts'
import type { EventName } from '../../protocol/extension-events.ts'

const timestamp = '2026-01-13T12:00:00Z'
const usage = { inputTokens: 1200, outputTokens: 40, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0.001 }

const user = { role: 'user', content: 'Add a parser', timestamp }
const assistant = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'I read the file first.' },
    { type: 'tool_use', id: 'call-1', name: 'read', arguments: { path: 'README.md' } },
  ],
  model: 'check-model',
  provider: 'check',
  usage,
  stopReason: 'toolUse',
  timestamp,
}
const toolResult = {
  role: 'tool_result',
  toolCallId: 'call-1',
  tool_call_id: 'call-1',
  toolName: 'read',
  tool_name: 'read',
  content: [{ type: 'text', text: '# Conformance' }],
  isError: false,
  is_error: false,
  timestamp,
}
const last = { ...assistant, content: [{ type: 'text', text: 'Done.' }], stopReason: 'stop' }

const turns = Array.from({ length: 6 }, () => [
  { type: 'user', data: user },
  { type: 'assistant', data: assistant },
  { type: 'tool_result', data: toolResult },
  { type: 'assistant', data: last },
])

/** Long enough to be worth shortening. */
export const conversation: SentParams<'compact/execute'>['messages'] = turns.flat()

const call = { ToolCallID: 'call-1', ToolName: 'read' }

/** In the order of a run. */
export const sampleEvents: Record<EventName, Record<string, unknown>> = {
  EventAgentStart: {},
  EventSessionLoad: { MessageCount: 4 },
  EventAgentInit: { ToolCount: 7 },
  EventPromptBuild: { System: 'You are a coding agent.' },
  EventMessagePre: { Content: 'Add a parser' },
  EventTurnStart: {},
  EventStreamDelta: { Kind: 'text', Index: 0, Delta: 'Done' },
  EventStreamDone: { Message: last },
  EventToolStart: { ...call, Args: { path: 'README.md' } },
  EventToolUpdate: { ...call, Partial: 'half' },
  EventToolEnd: { ...call, Result: null, IsError: false },
  EventStepWait: { ...call, Args: { path: 'README.md' } },
  EventTurnEnd: { Assistant: assistant, ToolResults: [toolResult] },
  EventTurnUsage: { turn: 1, usage, breakdown: {} },
  EventRetry: { Attempt: 1, Max: 3, DelayMs: 500, Error: 'overloaded' },
  EventMaxTurns: { Count: 30, Max: 30 },
  EventCompact: { Before: 24, After: 8, TokensAtCompact: 50_000 },
  EventAgentEnd: { Messages: [user, assistant, toolResult, last] },
}

/** What is said when the model could not be reached: everything that may be missing is. */
export const emptyTurnEnd = { Assistant: null, ToolResults: null }
