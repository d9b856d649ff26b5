// Declares the requests of an extension to the host about tools, models, settings and the running agent.

import * as v from 'valibot'
import { given } from '../../std/given.ts'
import { toolAnswer } from './content.ts'
import { fields, flag, integer, list, nothing, quantity, shape, some, text, texts } from './fields.ts'
import { deadlines, type Method, type Permission } from './method.ts'

const needed = v.pipe(v.string(), v.nonEmpty('must not be empty'))

/** What a request needs to be answered, and how long the answer may take. */
interface Conditions {
  permission?: Permission
  deadlineMs?: number
}

const question = <Params extends v.GenericSchema, Result extends v.GenericSchema>(
  purpose: string,
  params: Params,
  result: Result,
  { permission, deadlineMs = deadlines.quick }: Conditions = {},
) =>
  ({
    purpose,
    to: 'host',
    params,
    result,
    deadlineMs,
    ...given({ permission }),
  }) as const

const spent = v.nullish(shape({ input: integer, output: integer }), {})
const named = shape({ name: v.string(), description: text })

const modelInfo = shape({
  id: v.string(),
  api: text,
  displayName: text,
  provider: text,
  contextWindow: some.integer,
  maxTokens: some.integer,
  reasoning: some.flag,
  costInput: some.quantity,
  costOutput: some.quantity,
  current: flag,
})

const extensionInfo = shape({
  name: v.string(),
  version: some.text,
  kind: text,
  runtime: some.text,
  tools: some.texts,
  commands: some.texts,
  interceptors: some.texts,
  eventHandlers: some.texts,
  shortcuts: some.texts,
  messageHooks: some.texts,
  compactor: some.text,
  promptSections: some.texts,
  inputTransformers: some.texts,
  providers: some.texts,
})

const override = shape({ name: some.text, contextWindow: some.integer, maxTokens: some.integer })

export const hostServices = {
  'host/listTools': question(
    'All tools with their schemas, by name.',
    shape({ filter: text }),
    shape({
      tools: list(
        shape({
          name: v.string(),
          description: text,
          parameters: v.optional(v.unknown()),
          deferred: some.flag,
        }),
      ),
    }),
  ),
  'host/executeTool': question(
    'Runs a tool without asking interceptors.',
    shape({ name: needed, args: fields, callId: text }),
    toolAnswer,
    { permission: 'tools:execute', deadlineMs: deadlines.long },
  ),
  'host/toolDefs': question('Names and descriptions of all tools.', nothing, shape({ tools: list(named) })),
  'host/commands': question('All commands.', nothing, shape({ commands: list(named) })),
  'host/shortcuts': question(
    'All keyboard shortcuts.',
    nothing,
    shape({ shortcuts: v.nullish(v.record(v.string(), shape({ description: text })), {}) }),
  ),
  'host/promptSections': question(
    'Titles and sizes of the parts of the system prompt.',
    nothing,
    shape({ sections: list(shape({ title: v.string(), tokenHint: some.integer })) }),
  ),
  'host/activateTool': question(
    'Shows the model the whole schema of a deferred tool.',
    shape({ name: needed }),
    nothing,
    { permission: 'tools:select' },
  ),
  'host/setToolFilter': question(
    'Shows the model only these tools; without names, all.',
    shape({ names: texts }),
    nothing,
    { permission: 'tools:select' },
  ),
  'host/config.get': question(
    'Settings by their dotted names.',
    shape({ keys: texts }),
    shape({ values: fields }),
    { permission: 'config:read' },
  ),
  'host/config.readExtension': question(
    'The settings text of an extension.',
    shape({ name: needed }),
    shape({ content: text }),
    { permission: 'config:read' },
  ),
  'host/auth.getKey': question(
    'The API key of a provider, or an empty text.',
    shape({ provider: needed }),
    shape({ key: text }),
    { permission: 'auth' },
  ),
  'host/chat': question(
    'Sends a model one request, without tools.',
    shape({
      system: text,
      messages: list(shape({ role: text, content: text })),
      model: text,
      maxTokens: integer,
    }),
    shape({ text, usage: spent }),
    { permission: 'model:call', deadlineMs: deadlines.long },
  ),
  'host/agent.run': question(
    'Runs an agent with a task of its own.',
    shape({ system: text, task: needed, tools: text, model: text, maxTurns: integer }),
    shape({ text, turns: integer, usage: spent }),
    { permission: 'model:call', deadlineMs: deadlines.long },
  ),
  'host/availableModels': question('All models.', nothing, shape({ models: list(modelInfo) })),
  'host/switchModel': question(
    'Switches to another model.',
    shape({ modelId: text, persistDefault: flag }),
    nothing,
    { permission: 'model:select' },
  ),
  'host/syncModels': question('Reloads the list of models.', nothing, shape({ updated: integer }), {
    permission: 'model:select',
  }),
  'host/writeModels': question(
    'Writes the list of models with these changes.',
    shape({ overrides: v.nullish(v.record(v.string(), override), {}) }),
    shape({ modelsWritten: integer }),
    { permission: 'model:select' },
  ),
  'host/runBackground': question(
    'Starts an agent beside the running one.',
    shape({ prompt: needed }),
    nothing,
    { permission: 'model:call' },
  ),
  'host/cancelBackground': question('Stops all background agents.', nothing, nothing, {
    permission: 'model:call',
  }),
  'host/isBackgroundRunning': question(
    'Whether a background agent is running.',
    nothing,
    shape({ running: flag }),
  ),
  'host/extInfos': question(
    'All extensions and what they registered.',
    nothing,
    shape({ extensions: list(extensionInfo) }),
  ),
  'host/extensionsDir': question("The directory of the user's extensions.", nothing, shape({ path: text })),
  'host/undoSnapshots': question(
    'Files that can be restored, with the size of their snapshot.',
    nothing,
    shape({ snapshots: v.nullish(v.record(v.string(), quantity), {}) }),
    { permission: 'undo:restore' },
  ),
  'host/undoRestore': question('Restores a file.', shape({ path: needed }), nothing, {
    permission: 'undo:restore',
  }),
  'host/toggleStepMode': question(
    'Turns asking the user before every tool call on or off.',
    nothing,
    shape({ on: flag }),
    { permission: 'agent:control' },
  ),
  'host/requestQuit': question('Ends the program.', nothing, nothing, { permission: 'agent:control' }),
  'host/abort': question('Ends the running turn and tells the user.', nothing, nothing, {
    permission: 'agent:control',
  }),
  'host/hasCompactor': question('Whether a compactor is registered.', nothing, shape({ present: flag })),
  'host/triggerCompact': question(
    'Shortens the conversation now.',
    nothing,
    shape({ before: integer, after: integer }),
    { permission: 'session:write', deadlineMs: deadlines.long },
  ),
  'host/waitForIdle': question('Answers as soon as the agent is idle.', nothing, nothing, {
    deadlineMs: deadlines.person,
  }),
} as const satisfies Record<string, Method>
