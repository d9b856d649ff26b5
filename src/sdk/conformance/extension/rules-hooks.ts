// Defines the rules on the requests of a turn: interceptors, hooks, input, events and compaction.

import { parseAction } from '../../../extensions/action.ts'
import type { ActionResult } from '../../../protocol/extension/content.ts'
import { type EventName, extensionEvents } from '../../../protocol/extension/events.ts'
import type { SentParams } from '../../../protocol/extension/table.ts'
import { asArray, asObject, asString } from '../../../std/json.ts'
import { hold } from '../rule.ts'
import type { Probe, ProbeAnswer } from './probe.ts'
import type { ExtensionRule } from './trial.ts'
import { excerptOf } from './wire-log.ts'

/** Sends a request that must be answered with a result, and returns the result. */
async function resultOf(probe: Probe, method: string, params: unknown): Promise<Record<string, unknown>> {
  const { error, result }: ProbeAnswer = await probe.ask(method, params)
  hold(error === undefined, {
    expected: `\`${method}\` to be answered with a result`,
    received: `error ${error?.code}: ${error?.message}`,
    fix: 'Answer requests for everything that is registered. Errors are for failures beyond your control.',
  })
  return asObject(result) ?? {}
}

const eventNames = Object.keys(extensionEvents) as EventName[]

export const extensionHookRules: ExtensionRule[] = [
  {
    id: 'interceptor/before',
    title: '`interceptor/before` says whether the call is allowed',
    level: 'must',
    requires: 'register/interceptor',
    run: async ({ start, facts }) => {
      const probe = await start()
      for (const { name, hooks } of facts.registrations['register/interceptor']) {
        if (hooks && hooks.length > 0 && !hooks.includes('before')) continue
        const { allow } = await resultOf(probe, 'interceptor/before', {
          name,
          toolName: 'check_tool',
          args: { path: 'README.md' },
        })
        hold(typeof allow === 'boolean', {
          expected: `\`allow\`: true or false, from the interceptor ${name}`,
          received: excerptOf(JSON.stringify(allow)),
          fix: 'Always set it: an answer without `allow` blocks the tool.',
        })
      }
    },
  },
  {
    id: 'interceptor/after',
    title: '`interceptor/after` returns the details it received',
    level: 'must',
    requires: 'register/interceptor',
    run: async ({ start, facts }) => {
      const probe = await start()
      for (const { name, hooks } of facts.registrations['register/interceptor']) {
        if (hooks && hooks.length > 0 && !hooks.includes('after')) continue
        const details = { content: [{ type: 'text', text: 'done' }] }
        const result = await resultOf(probe, 'interceptor/after', { name, toolName: 'check_tool', details })
        hold('details' in result, {
          expected: `\`details\` in the answer of the interceptor ${name}, changed or unchanged`,
          received: excerptOf(JSON.stringify(result)),
          fix: 'Return the details unchanged when there is nothing to change, because they are lost otherwise, or register `hooks: ["before"]`.',
        })
      }
    },
  },
  {
    id: 'messageHook/answers',
    title: '`messageHook/onMessage` is answered',
    level: 'must',
    requires: 'register/messageHook',
    run: async ({ start }) => {
      await resultOf(await start(), 'messageHook/onMessage', { message: 'Add a parser' })
    },
  },
  {
    id: 'inputTransformer/output',
    title: '`inputTransformer/transform` returns the text to send',
    level: 'must',
    requires: 'register/inputTransformer',
    run: async ({ start }) => {
      const { output, handled } = await resultOf(await start(), 'inputTransformer/transform', {
        input: 'Add a parser',
      })
      hold(handled === true || (asString(output) ?? '') !== '', {
        expected: 'the text in `output`, or `handled: true`',
        received: excerptOf(JSON.stringify({ output, handled })),
        fix: 'Return the input when there is nothing to change: otherwise what the user typed is lost.',
      })
    },
  },
  {
    id: 'events/answers',
    title: 'Each event it registered for is answered with an action or with none',
    level: 'must',
    requires: 'register/eventHandler',
    run: async ({ start, facts }) => {
      const probe = await start()
      const handlers = facts.registrations['register/eventHandler']
      const isHandled = (type: string) =>
        handlers.some((handler) => handler.events.length === 0 || handler.events.includes(type))
      for (const type of eventNames.filter(isHandled)) {
        const { action } = await resultOf(probe, 'event/dispatch', { type, data: sampleEvents[type] })
        hold(action === undefined || action === null || parseAction(action as ActionResult) !== undefined, {
          expected: `a known action in the answer to ${type}, or null`,
          received: excerptOf(JSON.stringify(action)),
          fix: 'Use an action of the protocol reference: others are dropped.',
        })
      }
    },
  },
  {
    id: 'events/nothing-in-it',
    title: 'It survives the end of a turn without an answer of the model',
    level: 'must',
    requires: 'register/eventHandler',
    needs: ['events/answers'],
    run: async ({ start, facts }) => {
      const handlers = facts.registrations['register/eventHandler']
      if (!handlers.some((handler) => handler.events.length === 0 || handler.events.includes('EventTurnEnd')))
        return 'it has no handler for EventTurnEnd'
      await resultOf(await start(), 'event/dispatch', { type: 'EventTurnEnd', data: emptyTurnEnd })
      return undefined
    },
  },
  {
    id: 'compactor/answers',
    title: '`compact/execute` returns a conversation',
    level: 'must',
    requires: 'register/compactor',
    run: async ({ start }) => {
      const { messages } = await resultOf(await start(), 'compact/execute', { messages: conversation })
      const kinds = asArray(messages).map((message) => asString(asObject(message)?.type) ?? 'nothing')
      hold(kinds.length > 0 && kinds.every((kind) => ['user', 'assistant', 'tool_result'].includes(kind)), {
        expected: '`messages` of the kinds user, assistant and tool_result, at least one',
        received: excerptOf(JSON.stringify(messages)),
        fix: 'Return some of the messages as they came: unknown ones are dropped, and an empty list is ignored.',
      })
    },
  },
  {
    id: 'compactor/shortens',
    title: 'A compacted conversation is not longer than it was',
    level: 'should',
    requires: 'register/compactor',
    needs: ['compactor/answers'],
    run: async ({ start }) => {
      const { messages } = await resultOf(await start(), 'compact/execute', { messages: conversation })
      const [before, after] = [conversation?.length ?? 0, asArray(messages).length]
      hold(after <= before, {
        expected: `at most ${before} messages`,
        received: `${after}`,
        fix: 'Leave messages out or summarise them: the host asks because there are too many.',
      })
    },
  },
]

// A conversation and events as a host sends them.
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
const finalAnswer = { ...assistant, content: [{ type: 'text', text: 'Done.' }], stopReason: 'stop' }

const turns = Array.from({ length: 6 }, () => [
  { type: 'user', data: user },
  { type: 'assistant', data: assistant },
  { type: 'tool_result', data: toolResult },
  { type: 'assistant', data: finalAnswer },
])

/** Long enough to be compacted. */
export const conversation: SentParams<'compact/execute'>['messages'] = turns.flat()

const call = { ToolCallID: 'call-1', ToolName: 'read' }

/** In the order of a run. */
const sampleEvents: Record<EventName, Record<string, unknown>> = {
  EventAgentStart: {},
  EventSessionLoad: { MessageCount: 4 },
  EventAgentInit: { ToolCount: 7 },
  EventPromptBuild: { System: 'You are a coding agent.' },
  EventMessagePre: { Content: 'Add a parser' },
  EventTurnStart: {},
  EventStreamDelta: { Kind: 'text', Index: 0, Delta: 'Done' },
  EventStreamDone: { Message: finalAnswer },
  EventToolStart: { ...call, Args: { path: 'README.md' } },
  EventToolUpdate: { ...call, Partial: 'half' },
  EventToolEnd: { ...call, Result: null, IsError: false },
  EventStepWait: { ...call, Args: { path: 'README.md' } },
  EventTurnEnd: { Assistant: assistant, ToolResults: [toolResult] },
  EventTurnUsage: { turn: 1, usage, breakdown: {} },
  EventRetry: { Attempt: 1, Max: 3, DelayMs: 500, Error: 'overloaded' },
  EventMaxTurns: { Count: 30, Max: 30 },
  EventCompact: { Before: 24, After: 8, TokensAtCompact: 50_000 },
  EventAgentEnd: { Messages: [user, assistant, toolResult, finalAnswer] },
}

/** The event of a turn in which the model could not be reached: all optional values are missing. */
const emptyTurnEnd = { Assistant: null, ToolResults: null }
