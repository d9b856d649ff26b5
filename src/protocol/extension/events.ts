// Declares the events that report to an extension what the agent does. The keys are those on the wire.
import * as v from 'valibot'
import { assistantMessage, conversationMessage, toolResultMessage } from './content.ts'
import { anything, fields, flag, integer, list, quantity, shape, text } from './fields.ts'

const call = { ToolCallID: text, ToolName: text }

/** In the order of a run. */
export const extensionEvents = {
  EventAgentStart: { purpose: 'A run begins.', data: shape({}) },
  EventSessionLoad: {
    purpose: 'The run continues an earlier conversation.',
    data: shape({ MessageCount: integer }),
  },
  EventAgentInit: { purpose: 'The tools of the run are known.', data: shape({ ToolCount: integer }) },
  EventPromptBuild: {
    purpose: 'The system prompt is known, except for what hooks add.',
    data: shape({ System: text }),
  },
  EventMessagePre: {
    purpose: "The user's message is about to enter the conversation.",
    data: shape({ Content: text }),
  },
  EventTurnStart: { purpose: 'The model is about to be called.', data: shape({}) },
  EventStreamDelta: {
    purpose: 'A piece of the answer of the model.',
    data: shape({ Kind: text, Index: integer, Delta: text }),
  },
  EventStreamDone: { purpose: 'The whole answer of the model.', data: shape({ Message: assistantMessage }) },
  EventToolStart: { purpose: 'A tool starts.', data: shape({ ...call, Args: fields }) },
  EventToolUpdate: { purpose: 'A tool reports progress.', data: shape({ ...call, Partial: text }) },
  EventToolEnd: { purpose: 'A tool ended.', data: shape({ ...call, Result: anything, IsError: flag }) },
  EventStepWait: { purpose: 'A tool waits for the user.', data: shape({ ...call, Args: fields }) },
  EventTurnEnd: {
    purpose: 'The tools that the model called are done.',
    data: shape({ Assistant: v.nullish(assistantMessage), ToolResults: list(toolResultMessage) }),
  },
  EventTurnUsage: {
    purpose: 'The tokens and cost of the turn.',
    data: shape({ turn: integer, usage: fields, breakdown: fields }),
  },
  EventRetry: {
    purpose: 'The model is called again after an error.',
    data: shape({ Attempt: integer, Max: integer, DelayMs: quantity, Error: text }),
  },
  EventMaxTurns: {
    purpose: 'The run ends because it took too many turns.',
    data: shape({ Count: integer, Max: integer }),
  },
  EventCompact: {
    purpose: 'The conversation was shortened.',
    data: shape({ Before: integer, After: integer, TokensAtCompact: integer }),
  },
  EventAgentEnd: { purpose: 'The run ended.', data: shape({ Messages: list(conversationMessage) }) },
} as const satisfies Record<string, { purpose: string; data: v.GenericSchema }>

export type EventName = keyof typeof extensionEvents
export type EventData<Name extends EventName> = v.InferInput<(typeof extensionEvents)[Name]['data']>
