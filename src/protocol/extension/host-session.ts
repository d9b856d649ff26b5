// What an extension may ask of the host about conversations, people and other extensions.
import * as v from 'valibot'
import { compactMessage, conversationMessage, toolDefinition } from './content.ts'
import { anything, flag, integer, list, nothing, quantity, shape, some, text, texts } from './fields.ts'
import { type Capability, deadlines, type Method } from './method.ts'

const needed = v.pipe(v.string(), v.nonEmpty('must not be empty'))

const question = <Params extends v.GenericSchema, Result extends v.GenericSchema>(
  purpose: string,
  capability: Capability,
  params: Params,
  result: Result,
) => ({ purpose, to: 'host', params, result, deadlineMs: deadlines.quick, capability }) as const

const dialog = <Params extends v.GenericSchema, Result extends v.GenericSchema>(
  purpose: string,
  params: Params,
  result: Result,
) => ({ purpose, to: 'host', params, result, deadlineMs: deadlines.person }) as const

const messages = shape({ messages: list(conversationMessage) })
const entry = { id: v.string(), parentId: some.text, type: text, timestamp: text, children: integer }

export const sessionServices = {
  'host/conversationMessages': question('The conversation as it is.', 'session:read', nothing, messages),
  'host/setConversationMessages': question(
    'Replaces the conversation; without messages it is empty.',
    'session:write',
    shape({ messages: list(compactMessage) }),
    nothing,
  ),
  'host/llmSnapshot': question(
    'What the model would see now.',
    'session:read',
    nothing,
    shape({ system: text, messages: list(conversationMessage), tools: list(toolDefinition) }),
  ),
  'host/lastAssistantText': question(
    'The last text of the assistant.',
    'session:read',
    nothing,
    shape({ text }),
  ),
  'host/sessions': question(
    'All sessions, the newest first.',
    'session:read',
    nothing,
    shape({
      sessions: list(
        shape({ id: v.string(), title: text, cwd: text, createdAt: text, parentId: some.text, path: text }),
      ),
    }),
  ),
  'host/loadSession': question(
    'Goes on with another session.',
    'session:write',
    shape({ path: needed }),
    nothing,
  ),
  'host/forkSession': question(
    'Goes on with a copy of this session.',
    'session:write',
    nothing,
    shape({ parentID: text, messageCount: integer }),
  ),
  'host/setSessionTitle': question(
    'Gives the session a title.',
    'session:write',
    shape({ title: text }),
    nothing,
  ),
  'host/sessionTitle': question('The title, or nothing.', 'session:read', nothing, shape({ title: text })),
  'host/sessionStats': question(
    'Turns, tokens and cost so far.',
    'session:read',
    nothing,
    shape({
      turnCount: integer,
      totalInputTokens: integer,
      totalOutputTokens: integer,
      totalCacheReadTokens: integer,
      totalCacheWriteTokens: integer,
      totalCost: quantity,
      model: text,
    }),
  ),
  'host/appendSessionEntry': question(
    'Stores something of the extension in the session.',
    'session:write',
    shape({ kind: needed, data: anything }),
    nothing,
  ),
  'host/appendCustomMessage': question(
    'Stores a message in the session.',
    'session:write',
    shape({ role: text, content: text }),
    nothing,
  ),
  'host/setLabel': question(
    'Marks an entry; without a label the mark goes.',
    'session:write',
    shape({ targetId: needed, label: text }),
    nothing,
  ),
  'host/branchSession': question(
    'Goes back to an entry.',
    'session:write',
    shape({ entryId: needed }),
    nothing,
  ),
  'host/branchSessionWithSummary': question(
    'Goes back to an entry, and notes what is left behind.',
    'session:write',
    shape({ entryId: needed, summary: text }),
    nothing,
  ),
  'host/resetSessionLeaf': question(
    'Begins again with nothing, in the same session.',
    'session:write',
    nothing,
    nothing,
  ),
  'host/sessionEntryInfos': question(
    'The entries of this branch.',
    'session:read',
    nothing,
    shape({ entries: list(shape(entry)) }),
  ),
  'host/sessionFullTree': question(
    'All entries of the session.',
    'session:read',
    nothing,
    shape({
      nodes: list(
        shape({
          ...entry,
          onActivePath: flag,
          depth: integer,
          preview: some.text,
          label: some.text,
          tokensBefore: some.integer,
        }),
      ),
    }),
  ),
  'host/showPicker': dialog(
    'Lets the user choose; nothing when they would not.',
    shape({ title: text, items: list(shape({ id: text, label: text, desc: some.text })) }),
    shape({ selected: text }),
  ),
  'host/askUser': dialog(
    'Asks the user.',
    shape({
      prompt: text,
      choices: v.pipe(
        texts,
        v.check((choices) => choices.length > 0, 'must not be empty'),
      ),
    }),
    shape({ selected: text, cancelled: flag }),
  ),
  'host/publish': question(
    'Tells all who subscribed to a topic.',
    'bus',
    shape({ topic: needed, data: anything }),
    nothing,
  ),
  'host/subscribe': question(
    'Hears of a topic from now on.',
    'bus',
    shape({ topic: needed }),
    shape({ subscriptionId: integer }),
  ),
} as const satisfies Record<string, Method>
