// Piglet answers every request that an extension may make, over the wire. A request that is missing here does
// not compile.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Piglet } from '../../src/piglet/piglet.ts'
import type { HostRequest } from '../../src/protocol/extension/table.ts'
import { ask, asker, type Stage, stage } from './piglet-stage.ts'

let on: Stage
let piglet: Piglet
beforeAll(async () => {
  on = await stage()
  asker(on)
  on.extension(
    'rich',
    [
      ['register/tool', { name: 'far', description: 'd', parameters: { type: 'object' }, deferred: true }],
      ['register/shortcut', { key: 'ctrl+g', description: 'k' }],
      ['register/promptSection', { title: 'T', content: 'c', tokenHint: 7 }],
      ['register/compactor', { name: 'short' }],
    ],
    { 'compact/execute': `answer(id, { messages: params.messages.slice(-1) })` },
  )
  on.write('config/auth.json', '{"openai":"sk"}')
  on.write('a.txt', 'old\n')
  piglet = await on.open({
    dialogs: async (question) => (question.kind === 'pick' ? 'b' : question.choices[0]),
  })
  on.model.say(
    { calls: [{ name: 'edit', args: { path: 'a.txt', old_text: 'old', new_text: 'new' } }] },
    'hello',
  )
  await piglet.run('hi')
})
afterAll(async () => {
  await on[Symbol.asyncDispose]()
})

type Table = { [Name in HostRequest]: [params: unknown, answer: unknown | ((answer: never) => unknown)] }

const entryId = (at: number) => piglet.services.current.session().infos()[at]?.id
const any = expect.any(String)
const message = { role: 'user', content: 'hi', timestamp: any }

/** In an order in which each request finds what it needs. */
const table: Table = {
  'host/listTools': [
    { filter: 'background_safe' },
    ({ tools }: { tools: { name: string }[] }) => tools.map(({ name }) => name),
  ],
  'host/toolDefs': [undefined, { tools: expect.arrayContaining([{ name: 'far', description: 'd' }]) }],
  'host/commands': [
    undefined,
    {
      commands: [
        { name: 'ask', description: '' },
        { name: 'quit', description: any },
      ],
    },
  ],
  'host/shortcuts': [undefined, { shortcuts: { 'ctrl+g': { description: 'k' } } }],
  'host/promptSections': [undefined, { sections: [{ title: 'T', tokenHint: 7 }] }],
  'host/executeTool': [
    { name: 'ls', args: { path: '.' }, callId: 'c' },
    { content: [{ type: 'text', text: 'a.txt' }] },
  ],
  'host/activateTool': [{ name: 'far' }, {}],
  'host/setToolFilter': [{ names: null }, {}],
  'host/config.get': [{ keys: ['smallModel', 'none'] }, { values: { smallModel: 'test/m2' } }],
  'host/config.readExtension': [{ name: 'rich' }, { content: '' }],
  'host/auth.getKey': [{ provider: 'openai' }, { key: 'sk' }],
  'host/chat': [
    { messages: [{ role: 'user', content: 'q' }] },
    { text: 'ok', usage: { input: 10, output: 5 } },
  ],
  'host/agent.run': [{ task: 't' }, { text: 'ok', turns: 1, usage: { input: 10, output: 5 } }],
  'host/availableModels': [
    undefined,
    ({ models }: { models: { id: string; current: boolean }[] }) => models.find((m) => m.current)?.id,
  ],
  'host/switchModel': [{ modelId: 'test/m2' }, {}],
  'host/syncModels': [undefined, { updated: 0 }],
  'host/writeModels': [{ overrides: {} }, { modelsWritten: expect.any(Number) }],
  'host/runBackground': [{ prompt: 'look' }, {}],
  'host/isBackgroundRunning': [undefined, { running: expect.any(Boolean) }],
  'host/cancelBackground': [undefined, {}],
  'host/waitForIdle': [null, {}],
  'host/extInfos': [
    undefined,
    ({ extensions }: { extensions: { name: string; kind: string }[] }) =>
      extensions.map(({ name, kind }) => `${name} ${kind}`),
  ],
  'host/extensionsDir': [undefined, ({ path }: { path: string }) => path.slice(-'config/extensions'.length)],
  'host/undoSnapshots': [
    undefined,
    ({ snapshots }: { snapshots: Record<string, number> }) => Object.values(snapshots),
  ],
  'host/undoRestore': [() => ({ path: join(on.cwd, 'a.txt') }), {}],
  'host/toggleStepMode': [undefined, { on: true }],
  'host/requestQuit': [undefined, {}],
  'host/abort': [undefined, {}],
  'host/hasCompactor': [undefined, { present: true }],
  'host/conversationMessages': [
    undefined,
    ({ messages }: { messages: { role: string }[] }) => [messages[0], messages.map(({ role }) => role)],
  ],
  'host/llmSnapshot': [undefined, { system: any, messages: expect.any(Array), tools: expect.any(Array) }],
  'host/lastAssistantText': [undefined, { text: 'hello' }],
  'host/sessionStats': [
    undefined,
    {
      turnCount: 2,
      totalInputTokens: 20,
      totalOutputTokens: 10,
      totalCacheReadTokens: 0,
      totalCacheWriteTokens: 0,
      totalCost: expect.any(Number),
      model: 'test/m2',
    },
  ],
  'host/triggerCompact': [undefined, { before: 4, after: 1 }],
  'host/setSessionTitle': [{ title: 'T' }, {}],
  'host/sessionTitle': [undefined, { title: 'T' }],
  'host/appendSessionEntry': [{ kind: 'ext:asker:x', data: [1] }, {}],
  'host/appendCustomMessage': [{ role: 'user', content: 'by hand' }, {}],
  'host/setLabel': [() => ({ targetId: entryId(0), label: 'here' }), {}],
  'host/sessionEntryInfos': [
    undefined,
    ({ entries }: { entries: { type: string; children: number }[] }) =>
      entries.map(({ type, children }) => `${type} ${children}`),
  ],
  'host/branchSession': [() => ({ entryId: entryId(1) }), {}],
  'host/branchSessionWithSummary': [() => ({ entryId: entryId(0), summary: 's' }), {}],
  'host/sessionFullTree': [
    undefined,
    ({ nodes }: { nodes: { type: string; label?: string }[] }) => [nodes.length, nodes[0]?.label],
  ],
  'host/forkSession': [undefined, { parentID: any, messageCount: 1 }],
  'host/sessions': [undefined, ({ sessions }: { sessions: unknown[] }) => sessions.length],
  'host/resetSessionLeaf': [{}, {}],
  'host/setConversationMessages': [
    {
      messages: [
        { type: 'user', data: { content: 'x' } },
        { type: 'odd' },
        {},
        { type: 'assistant', data: 5 },
      ],
    },
    {},
  ],
  'host/loadSession': [() => ({ path: piglet.services.current.session().path }), {}],
  'host/showPicker': [
    {
      title: 't',
      items: [
        { id: 'a', label: 'A' },
        { id: 'b', label: 'B' },
      ],
    },
    { selected: 'b' },
  ],
  'host/askUser': [
    { prompt: 'p', choices: ['yes', 'no'] },
    { selected: 'yes', cancelled: false },
  ],
  'host/publish': [{ topic: 't', data: 1 }, {}],
  'host/subscribe': [{ topic: 't' }, { subscriptionId: expect.any(Number) }],
}

/** Checks for results that are too long to write down. */
const shortened: Partial<Record<HostRequest, unknown>> = {
  'host/listTools': ['find', 'grep', 'ls', 'read'],
  'host/availableModels': 'm1',
  'host/extInfos': ['builtin builtin', 'asker external', 'rich external'],
  'host/extensionsDir': 'config/extensions',
  'host/undoSnapshots': [4],
  'host/conversationMessages': [message, ['user', 'assistant', 'tool_result', 'assistant']],
  'host/sessionEntryInfos': [
    'user 1',
    'assistant 1',
    'tool_result 1',
    'assistant 1',
    'compact 1',
    'ext:asker:x 1',
    'custom_message 1',
    'label 0',
  ],
  'host/sessionFullTree': [10, 'here'],
  'host/sessions': 2,
}

test.each(Object.entries(table))('%s', async (method, [params, expected]) => {
  const answer = await ask(piglet, method, typeof params === 'function' ? params() : params)
  if (typeof expected === 'function')
    expect(expected(answer as never)).toEqual(shortened[method as HostRequest])
  else expect(answer).toEqual(expected)
})

test('broken and unknown messages were left out when the conversation was set, and the session that was loaded has it', async () => {
  const { messages } = await ask(piglet, 'host/conversationMessages')
  expect(messages.map(({ content }: { content: string }) => content)).toEqual(['x'])
})
