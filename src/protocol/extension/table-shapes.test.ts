// Reads what the reference program writes, field for field.
import { describe, expect, test } from 'bun:test'
import * as v from 'valibot'
import { type MethodName, methods } from './table.ts'

type Sample = [method: MethodName, sample: Record<string, unknown>]

const tool = {
  name: 't',
  description: 'd',
  parameters: { type: 'object', properties: { a: { type: 'string' } } },
}
const entry = { id: 'a1', parentId: 'a0', type: 'user', timestamp: '2026-01-02T03:04:05Z', children: 1 }

const params: Sample[] = [
  ['initialize', { protocolVersion: '5', cwd: '/p', configDir: '/c/extensions/x' }],
  ['$/cancelRequest', { id: 7 }],
  [
    'register/tool',
    { ...tool, promptHint: 'h', deferred: true, interruptBehavior: 'block', backgroundSafe: false },
  ],
  ['register/command', { name: 'c', description: 'd', immediate: true }],
  ['register/promptSection', { title: 'T', content: 'c', order: 20, tokenHint: 5 }],
  ['register/interceptor', { name: 'i', priority: 2000 }],
  ['register/eventHandler', { name: 'e', priority: 1, events: ['EventTurnEnd'] }],
  ['register/shortcut', { key: 'ctrl+g', description: 'd' }],
  ['register/messageHook', { name: 'm', priority: 3 }],
  ['register/inputTransformer', { name: 'x', priority: 4 }],
  ['register/compactor', { name: 'k', threshold: 50000 }],
  ['register/provider', { api: 'openai' }],
  ['tool/execute', { callId: 'c1', name: 't', args: { a: 'b' } }],
  ['command/execute', { name: 'c', args: 'rest of the line' }],
  ['interceptor/before', { name: 'i', toolName: 't', args: { a: 1 } }],
  ['interceptor/after', { name: 'i', toolName: 't', details: { any: ['thing'] } }],
  ['event/dispatch', { type: 'EventToolEnd', data: { ToolCallID: 'c1', IsError: false } }],
  ['shortcut/handle', { key: 'ctrl+g' }],
  ['messageHook/onMessage', { message: 'hi' }],
  ['inputTransformer/transform', { input: 'hi' }],
  ['compact/execute', { messages: [{ type: 'user', data: { content: 'hi' } }] }],
  ['host/listTools', { filter: 'background_safe' }],
  ['host/listTools', { filter: 'all' }],
  ['host/chat', { system: 's', messages: [{ role: 'user', content: 'q' }], model: 'small', maxTokens: 10 }],
  ['host/agent.run', { system: 's', task: 't', tools: 'all', model: 'default', maxTurns: 3 }],
  ['host/showPicker', { title: 'p', items: [{ id: '1', label: 'one', desc: 'd' }] }],
  ['host/switchModel', { modelId: 'a/b', persistDefault: true }],
  ['host/switchModel', { modelId: 'a/b', persistDefault: false }],
  ['host/askUser', { prompt: 'sure?', choices: ['yes', 'no'] }],
  ['host/writeModels', { overrides: { 'a/b': { name: 'n', contextWindow: 1, maxTokens: 2 } } }],
  ['host/appendSessionEntry', { kind: 'ext:notes:note', data: { text: 'n' } }],
  ['host/setLabel', { targetId: 'a1', label: 'here' }],
  [
    'provider/delta',
    {
      requestId: 9,
      type: 'toolcall_end',
      index: 1,
      delta: '',
      tool: { id: 'i', name: 'n', arguments: '{}' },
    },
  ],
  ['setWidget', { key: 'k', placement: 'above-input', content: 'c' }],
  ['showOverlay', { key: 'k', title: 't', content: 'c', anchor: 'top-left', width: '50%' }],
  ['notify', { message: 'm', level: 'warn' }],
  ['log', { level: 'debug', message: 'm' }],
]

const results: Sample[] = [
  ['initialize', { name: 'x', version: '1' }],
  [
    'tool/execute',
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: 'AA==', mime: 'image/png' },
      ],
      isError: true,
      errorCode: 'TIMEOUT',
      errorHint: 'h',
    },
  ],
  ['interceptor/before', { allow: true, args: { a: 2 }, preview: '' }],
  ['interceptor/before', { allow: false, preview: 'no' }],
  ['event/dispatch', { action: { type: 'notify', payload: { message: 'm' } } }],
  ['messageHook/onMessage', { injection: 'more' }],
  ['host/chat', { text: 'a', usage: { input: 1, output: 2 } }],
  ['host/agent.run', { text: 'a', turns: 2, usage: { input: 1, output: 2 } }],
  ['host/sessionEntryInfos', { entries: [entry] }],
  [
    'host/sessionFullTree',
    { nodes: [{ ...entry, onActivePath: true, depth: 0, preview: 'p', label: 'l', tokensBefore: 3 }] },
  ],
  ['host/sessionTitle', { title: 't' }],
  ['host/showPicker', { selected: '1' }],
  [
    'host/availableModels',
    {
      models: [
        {
          id: 'b',
          api: 'openai',
          displayName: 'a/B',
          provider: 'a',
          contextWindow: 1,
          maxTokens: 2,
          reasoning: true,
          costInput: 0.5,
          costOutput: 1.5,
          current: true,
        },
      ],
    },
  ],
  ['host/toggleStepMode', { on: true }],
  ['host/toggleStepMode', { on: false }],
  ['host/requestQuit', {}],
  ['host/hasCompactor', { present: true }],
  ['host/triggerCompact', { before: 20, after: 4 }],
  ['host/commands', { commands: [{ name: 'c', description: 'd' }] }],
  ['host/toolDefs', { tools: [{ name: 't', description: 'd' }] }],
  ['host/shortcuts', { shortcuts: { 'ctrl+g': { description: 'd' } } }],
  ['host/promptSections', { sections: [{ title: 'T', tokenHint: 5 }] }],
  ['host/abort', {}],
  ['host/askUser', { selected: 'yes', cancelled: false }],
  ['host/forkSession', { parentID: 'p', messageCount: 4 }],
  ['host/undoSnapshots', { snapshots: { '/a': 12 } }],
  [
    'provider/stream',
    {
      message: {
        content: [{ text: 't' }, { id: 'i', name: 'n', arguments: {} }],
        model: 'm',
        provider: 'p',
        usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, cost: 0.1 },
        stopReason: 'stop',
        timestamp: '2026-01-02T03:04:05.6Z',
      },
    },
  ],
]

describe('params', () => {
  test.each(params)('%s %j', (method, sample) => {
    expect(v.parse(methods[method].params as v.GenericSchema, sample)).toEqual(sample)
  })
})

describe('results', () => {
  test.each(results)('%s %j', (method, sample) => {
    const { result } = methods[method] as { result: v.GenericSchema }
    expect(v.parse(result, sample)).toEqual(sample)
  })
})

test('fields that newer programs write pass through', () => {
  expect(
    v.parse(methods['tool/execute'].params, { callId: '', name: 't', args: {}, later: [1] }),
  ).toMatchObject({ later: [1] })
})

describe('the kind of a message follows from its fields', () => {
  const read = (message: object) =>
    v.parse(methods['host/conversationMessages'].result, { messages: [message] }).messages[0]
  test.each([
    ['of the user', { content: 'hi', timestamp: 't', role: 'user' }, 'blocks'],
    ['of the assistant', { content: [{ text: 'a' }], model: 'm', role: 'assistant' }, 'stopReason'],
    ['of a tool', { toolCallId: 'c', toolName: 't', content: null, tool_name: 't' }, 'isError'],
  ])('%s', (_name, message, field) => {
    expect(read(message)).toHaveProperty(field)
    expect(read(message)).toMatchObject('role' in message ? { role: message.role } : { tool_name: 't' })
  })
})
