// Declares the requests of an extension to the host about sessions, the user and other extensions.
import * as v from 'valibot'
import { compactMessage, conversationMessage, toolDefinition } from './content.ts'
import { anything, flag, integer, list, nothing, quantity, shape, some, text, texts } from './fields.ts'
import { deadlines, type Method, type Permission } from './method.ts'

const needed = v.pipe(v.string(), v.nonEmpty('must not be empty'))

const question = <Params extends v.GenericSchema, Result extends v.GenericSchema>(
  purpose: string,
  permission: Permission,
  params: Params,
  result: Result,
) => ({ purpose, to: 'host', params, result, deadlineMs: deadlines.quick, permission }) as const

const dialog = <Params extends v.GenericSchema, Result extends v.GenericSchema>(
  purpose: string,
  params: Params,
  result: Result,
) => ({ purpose, to: 'host', params, result, deadlineMs: deadlines.person }) as const

const messages = shape({ messages: list(conversationMessage) })
const entry = { id: v.string(), parentId: some.text, type: text, timestamp: text, children: integer }

export const sessionServices = {
  'host/conversationMessages': question('The current conversation.', 'session:read', nothing, messages),
  'host/setConversationMessages': question(
    'Replaces the conversation; without messages it becomes empty.',
    'session:write',
    shape({ messages: list(compactMessage) }),
    nothing,
  ),
  'host/llmSnapshot': question(
    'What the model would get now.',
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
    'All sessions, newest first.',
    'session:read',
    nothing,
    shape({
      sessions: list(
        shape({ id: v.string(), title: text, cwd: text, createdAt: text, parentId: some.text, path: text }),
      ),
    }),
  ),
  'host/loadSession': question(
    'Switches to another session.',
    'session:write',
    shape({ path: needed }),
    nothing,
  ),
  'host/forkSession': question(
    'Switches to a copy of this session.',
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
  'host/sessionTitle': question(
    'The title, or an empty text.',
    'session:read',
    nothing,
    shape({ title: text }),
  ),
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
    'Stores data of the extension in the session.',
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
    'Labels an entry; without a label it removes the label.',
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
    'Goes back to an entry, with a summary of what is left behind.',
    'session:write',
    shape({ entryId: needed, summary: text }),
    nothing,
  ),
  'host/resetSessionLeaf': question(
    'Starts again with an empty conversation in the same session.',
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
    'Lets the user choose; an empty text when they cancel.',
    shape({ title: text, items: list(shape({ id: text, label: text, desc: some.text })) }),
    shape({ selected: text }),
  ),
  'host/askUser': dialog(
    'Asks the user a question with choices.',
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
    'Publishes a message on a topic.',
    'bus',
    shape({ topic: needed, data: anything }),
    nothing,
  ),
  'host/subscribe': question(
    'Subscribes to a topic.',
    'bus',
    shape({ topic: needed }),
    shape({ subscriptionId: integer }),
  ),
} as const satisfies Record<string, Method>
