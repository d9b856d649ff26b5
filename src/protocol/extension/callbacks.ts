// Declares the methods by which the host calls an extension, and those that begin and end its life.
import * as v from 'valibot'
import {
  action,
  assistantMessage,
  compactMessage,
  conversationMessage,
  model,
  toolAnswer,
  toolDefinition,
} from './content.ts'
import { anything, fields, flag, integer, list, nothing, shape, some, text } from './fields.ts'
import { deadlines, type Method } from './method.ts'

const possibleAction = v.nullish(shape({ action: v.nullish(action) }), {})

export const callbacks = {
  'tool/execute': {
    purpose: 'Runs a tool.',
    to: 'extension',
    params: shape({ callId: text, name: v.string(), args: fields }),
    result: toolAnswer,
    deadlineMs: deadlines.person,
  },
  'command/execute': {
    purpose: 'Runs a command with the text after its name.',
    to: 'extension',
    params: shape({ name: v.string(), args: text }),
    result: anything,
    deadlineMs: deadlines.person,
  },
  'shortcut/handle': {
    purpose: 'A registered key was pressed.',
    to: 'extension',
    params: shape({ key: v.string() }),
    result: possibleAction,
    deadlineMs: deadlines.person,
  },
  'compact/execute': {
    purpose: 'Shortens a conversation.',
    to: 'extension',
    params: shape({ messages: list(compactMessage) }),
    result: shape({ messages: list(compactMessage) }),
    deadlineMs: deadlines.quick,
  },
  'provider/stream': {
    purpose: 'Answers in place of a model. Deltas may be sent on the way; the final message counts.',
    to: 'extension',
    params: shape({
      requestId: v.pipe(v.number(), v.integer()),
      model,
      system: text,
      messages: list(conversationMessage),
      tools: v.nullish(v.array(toolDefinition)),
      options: v.nullish(
        shape({
          temperature: some.quantity,
          maxTokens: some.integer,
          thinking: some.text,
          headers: v.nullish(v.record(v.string(), v.string())),
        }),
        {},
      ),
    }),
    result: shape({ message: v.nullish(assistantMessage), error: some.text }),
    deadlineMs: deadlines.person,
  },
  'interceptor/before': {
    purpose: 'Asks whether a tool call may proceed, and with which arguments.',
    to: 'extension',
    params: shape({ name: v.string(), toolName: v.string(), args: fields }),
    result: v.nullish(shape({ allow: flag, args: some.fields, preview: text }), {}),
    deadlineMs: deadlines.person,
  },
  'interceptor/after': {
    purpose: 'Reports the result of a tool call; the answer replaces it.',
    to: 'extension',
    params: shape({ name: v.string(), toolName: v.string(), details: anything }),
    result: v.nullish(shape({ details: anything }), {}),
    deadlineMs: deadlines.quick,
  },
  'messageHook/onMessage': {
    purpose: 'Asks what to add to the prompt of a turn. One call for all hooks of an extension.',
    to: 'extension',
    params: shape({ message: text }),
    result: v.nullish(shape({ injection: text }), {}),
    deadlineMs: deadlines.quick,
  },
  'inputTransformer/transform': {
    purpose: 'Transforms what the user typed. One call for all transformers of an extension.',
    to: 'extension',
    params: shape({ input: text }),
    result: shape({ output: text, handled: flag }),
    deadlineMs: deadlines.quick,
  },
  'event/dispatch': {
    purpose: 'Reports what the agent did. One call for all handlers of an extension.',
    to: 'extension',
    params: shape({ type: v.string(), data: fields }),
    result: possibleAction,
    deadlineMs: deadlines.quick,
  },
  'eventBus/event': {
    purpose: 'A message was published on a topic that the extension subscribed to.',
    to: 'extension',
    params: shape({ topic: v.string(), subscriptionId: integer, data: anything }),
  },
} as const satisfies Record<string, Method>

export const lifecycle = {
  initialize: {
    purpose:
      'Tells the extension where it runs. The extension registers everything it offers before it answers.',
    to: 'extension',
    params: shape({ protocolVersion: v.string(), cwd: v.string(), configDir: some.text }),
    result: v.nullish(shape({ name: text, version: text }), {}),
    deadlineMs: deadlines.start,
  },
  shutdown: { purpose: 'Announces the end: the channel is closed next.', to: 'extension', params: nothing },
  '$/cancelRequest': {
    purpose: 'Cancels a request: its answer is no longer needed.',
    to: 'both',
    params: shape({ id: v.pipe(v.number(), v.integer()) }),
  },
} as const satisfies Record<string, Method>
