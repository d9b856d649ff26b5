import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { cuts, readInPieces } from '../../../test/fixtures/agents/read-transcripts.ts'
import { piTranscript } from './transcript.ts'

let second = 0
const at = () => new Date(Date.UTC(2026, 10, 15, 12, 0, second++)).toISOString()
const header = (more: object = {}) =>
  JSON.stringify({ type: 'session', version: 3, id: 's', timestamp: at(), cwd: '/w/app', ...more })
const entry = (id: string, parentId: string | null, more: object) =>
  JSON.stringify({ type: 'message', id, parentId, timestamp: at(), ...more })
const user = (id: string, parent: string | null, content: unknown) =>
  entry(id, parent, { message: { role: 'user', content } })
const usage = (input: number, output = 1) => ({ input, output, cacheRead: 2, cacheWrite: 3, totalTokens: 0 })
const answer = (id: string, parent: string, content: unknown[], more: object = {}) =>
  entry(id, parent, {
    message: { role: 'assistant', content, model: 'm', usage: usage(10), stopReason: 'stop', ...more },
  })
const said = (text: string) => ({ type: 'text', text })
const call = (id: string, name: string, args: object) => ({ type: 'toolCall', id, name, arguments: args })
const result = (id: string, parent: string, toolCallId: string, more: object = {}) =>
  entry(id, parent, {
    message: { role: 'toolResult', toolCallId, toolName: 'write', content: [], isError: false, ...more },
  })

const read = (lines: string[]) => piTranscript.readLines(lines, undefined)
const entries = (lines: string[], from = 0) =>
  piTranscript.readEntries?.(lines.join('\n'), from).map(({ text }) => text)

// The answer to `one` was left, and `one` asked again in other words.
const branched = [
  header(),
  user('a', null, [said('one')]),
  answer('b', 'a', [said('first try'), call('c1', 'write', { path: 'left.txt' })]),
  result('c', 'b', 'c1'),
  user('d', null, [said('one, but better')]),
  answer('e', 'd', [said('second try'), call('c2', 'write', { path: 'kept.txt' })]),
  result('f', 'e', 'c2'),
]

test('tokens and files of an abandoned branch count', () => {
  expect(read(branched)).toMatchObject({
    prompts: ['one', 'one, but better'],
    files: ['/w/app/left.txt', '/w/app/kept.txt'],
    tokens: { input: 20, cacheCreation: 6, cacheRead: 4, output: 2, calls: 2 },
    summary: 'second try',
    lastId: 'f',
  })
})

test('the conversation is that of the current branch', () => {
  expect(entries(branched)).toEqual(['one, but better', 'second try', 'kept.txt'])
  expect(entries(branched.slice(0, 4))).toEqual(['one', 'first try', 'left.txt'])
  expect(entries(branched, 5)).toEqual(['second try', 'kept.txt'])
  // Back to the first branch, from its end.
  expect(entries([...branched, user('g', 'c', 'go on')])).toEqual(['one', 'first try', 'left.txt', 'go on'])
})

test('broken lines, lines without a parent and lines that name each other do not end the conversation', () => {
  expect(entries([header(), user('a', null, 'one'), '{broken', user('c', 'b', 'two')])).toEqual([
    'one',
    'two',
  ])
  const first = [header({ version: 1 }), '{"type":"message","message":{"role":"user","content":"one"}}']
  expect(entries([...first, '{"type":"message","message":{"role":"user","content":"two"}}'])).toEqual([
    'one',
    'two',
  ])
  expect(entries([header(), user('a', 'b', 'one'), user('b', 'a', 'two')])).toEqual(['one', 'two'])
  expect(() => entries(['no json', 'at all'])).toThrow('no line that is JSON')
  expect(entries([''])).toEqual([])
})

test('a file counts when its tool reports success, wherever the session runs', () => {
  const lines = [
    header({ cwd: '/w/app/sub' }),
    user('a', null, 'go'),
    answer('b', 'a', [
      call('c1', 'write', { path: 'new.txt' }),
      call('c2', 'edit', { path: '/w/app/other.txt' }),
      call('c3', 'edit', { path: 'failed.txt' }),
      call('c4', 'read', { path: 'read.txt' }),
      call('c5', 'write', { file_path: '@spelled.txt' }),
      call('c6', 'write', {}),
    ]),
    result('c', 'b', 'c1'),
    result('d', 'c', 'c3', { isError: true }),
    result('e', 'd', 'c2'),
    result('f', 'e', 'c4'),
    result('g', 'f', 'c5'),
    result('h', 'g', 'c6'),
    answer('i', 'h', [call('c7', 'write', { path: 'running.txt' })]),
  ]
  const files = ['/w/app/sub/new.txt', '/w/app/other.txt', '/w/app/sub/spelled.txt']
  expect(read(lines).files).toEqual(files)
  fc.assert(
    fc.property(cuts(lines), (ends) => expect(readInPieces(piTranscript, lines, ends).files).toEqual(files)),
  )
})

test('an entry that is written twice counts once', () => {
  const lines = [header(), user('a', null, 'one'), answer('b', 'a', [said('yes')])]
  const twice = [...lines, ...lines, user('c', 'b', 'two')]
  expect(read(twice)).toMatchObject({ prompts: ['one', 'two'], tokens: { input: 10, calls: 1 } })
  fc.assert(
    fc.property(cuts(twice), (ends) =>
      expect(readInPieces(piTranscript, twice, ends)).toMatchObject({
        prompts: ['one', 'two'],
        tokens: { input: 10, calls: 1 },
      }),
    ),
  )
})

test('messages that a fork copied from its parent do not count', () => {
  const old = [
    user('a', null, 'one'),
    answer('b', 'a', [said('yes'), call('c1', 'write', { path: 'old.txt' })]),
    result('c', 'b', 'c1'),
  ]
  const fork = header({ parentSession: '/s/2026_old.jsonl' })
  const lines = [
    fork,
    ...old,
    user('d', 'c', 'two'),
    answer('e', 'd', [said('no'), call('c2', 'write', { path: 'new.txt' })]),
    result('f', 'e', 'c2'),
  ]
  const own = {
    prompts: ['two'],
    files: ['/w/app/new.txt'],
    tokens: { input: 10, calls: 1 },
    summary: 'no',
    lastId: 'f',
  }
  expect(read(lines)).toMatchObject(own)
  fc.assert(
    fc.property(cuts(lines), (ends) => expect(readInPieces(piTranscript, lines, ends)).toMatchObject(own)),
  )
  expect(entries(lines)).toEqual(['one', 'yes', 'old.txt', 'two', 'no', 'new.txt'])
})

test('a failed answer counts the tokens that it reports', () => {
  const failed = {
    stopReason: 'error',
    errorMessage: 'overloaded',
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  }
  const aborted = { stopReason: 'aborted', usage: usage(7, 0) }
  const lines = [
    header(),
    user('a', null, 'go'),
    answer('b', 'a', [], failed),
    answer('c', 'b', [said('half')], aborted),
  ]
  expect(read(lines)).toMatchObject({
    tokens: { input: 7, cacheCreation: 3, cacheRead: 2, output: 0, calls: 1 },
    summary: 'half',
  })
})

test('the model is the one that was chosen last', () => {
  const change = JSON.stringify({
    type: 'model_change',
    id: 'x',
    parentId: 'b',
    timestamp: at(),
    provider: 'p',
    modelId: 'other',
  })
  const lines = [header(), user('a', null, 'go'), answer('b', 'a', [said('yes')], { model: 'first' })]
  expect(read(lines).model).toBe('first')
  expect(read([...lines, change]).model).toBe('other')
})

test('only what was typed is a prompt', () => {
  const lines = [
    header(),
    user('a', null, 'plain words'),
    user('b', 'a', [said('with a picture'), { type: 'image', data: 'AA==', mimeType: 'image/png' }]),
    user('c', 'b', [{ type: 'image', data: 'AA==', mimeType: 'image/png' }]),
    entry('d', 'c', { message: { role: 'bashExecution', command: 'git status', output: '', exitCode: 0 } }),
    entry('e', 'd', { message: { role: 'custom', customType: 'x', content: 'injected', display: true } }),
    entry('f', 'e', { type: 'custom_message', customType: 'x', content: 'injected', display: false }),
    entry('g', 'f', { type: 'compaction', summary: 'so far', firstKeptEntryId: 'c', tokensBefore: 9 }),
    entry('h', 'g', { type: 'branch_summary', fromId: 'c', summary: 'left' }),
    entry('i', 'h', { type: 'label', targetId: 'a', label: 'x' }),
    entry('j', 'i', { type: 'session_info', name: 'a name' }),
    user('k', 'j', '<skill name="review" location="/s/SKILL.md">\nBe strict.\n</skill>\n\nthe parser'),
  ]
  expect(read(lines)).toMatchObject({
    prompts: ['plain words', 'with a picture', '/skill:review the parser'],
    lastId: 'k',
  })
  expect(entries(lines)).toEqual(['plain words', 'with a picture', '!git status', '/skill:review the parser'])
})

test('tokens and files of a subagent are in the result of the tool that started it', () => {
  const spent = {
    input: 100,
    output: 20,
    cacheRead: 5,
    cacheWrite: 6,
    cost: 0.1,
    contextTokens: 131,
    turns: 3,
  }
  const messages = [
    {
      role: 'assistant',
      content: [call('s1', 'write', { path: 'made.txt' }), call('s2', 'edit', { path: 'not.txt' })],
    },
    { role: 'toolResult', toolCallId: 's2', isError: true },
  ]
  const lines = [
    header(),
    user('a', null, 'delegate'),
    answer('b', 'a', [call('c1', 'subagent', { agent: 'scout', task: 'look' })]),
    result('c', 'b', 'c1', {
      toolName: 'subagent',
      details: { mode: 'single', results: [{ agent: 'scout', messages, usage: spent }] },
    }),
  ]
  expect(read(lines)).toMatchObject({
    files: ['/w/app/made.txt'],
    tokens: {
      input: 10,
      calls: 1,
      subagents: { input: 100, cacheCreation: 6, cacheRead: 5, output: 20, calls: 3 },
    },
  })
  expect(
    read([...lines.slice(0, 3), result('c', 'b', 'c1', { toolName: 'subagent', details: 'other' })]).tokens
      .subagents,
  ).toBeUndefined()
})

test('a call whose id contains a bar is found by the name of its task', () => {
  const lines = [header(), result('c', 'b', 'call_1|fc_2')]
  expect(piTranscript.toolResultId?.(lines, 'call_1_fc_2')).toBe('c')
})

test('unknown and empty lines are ignored', () => {
  const odd = [
    'null',
    '[]',
    '7',
    '"x"',
    '',
    '{"type":"hologram","id":"z","parentId":"a"}',
    '{"type":"message"}',
    '{"type":"message","message":7}',
  ]
  const strange = user('q', 'z', { deep: true })
  expect(read([header(), user('a', null, 'one'), ...odd, strange])).toMatchObject({
    items: 11,
    prompts: ['one'],
    files: [],
    tokens: { calls: 0 },
  })
  fc.assert(fc.property(fc.array(fc.json()), (lines) => expect(read(lines).items).toBe(lines.length)))
})
