import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { opencodeTranscript } from './transcript.ts'

const read = (document: unknown, from = 0, metadata = {}) =>
  opencodeTranscript.readDocument?.(JSON.stringify(document), from, metadata)

const user = (id: string, ...parts: object[]) => ({
  info: { id, role: 'user', time: { created: Number(id.slice(1)) } },
  parts,
})
const text = (words: string, more = {}) => ({ type: 'text', text: words, ...more })
const tool = (name: string, input: object, more = {}) => ({
  type: 'tool',
  tool: name,
  callID: 'c',
  state: { status: 'completed', input, ...more },
})
const answer = (id: string, parts: object[] = [text('done')], more = {}) => ({
  info: {
    id,
    role: 'assistant',
    modelID: 'm',
    time: { created: Number(id.slice(1)), completed: 9 },
    tokens: { input: 10, output: 2, reasoning: 1, cache: { read: 5, write: 3 } },
    ...more,
  },
  parts,
})
const session = (...messages: object[]) => ({ info: { id: 's', time: { created: 0 } }, messages })

test('a prompt is the typed text, without additions of the agent and without the quotes of a command line', () => {
  const prompts = (...parts: object[]) => read(session(user('m1', ...parts)))?.prompts
  expect(
    prompts(
      text('go'),
      text('Continue if you have next steps', { synthetic: true }),
      text('hidden', { ignored: true }),
    ),
  ).toEqual(['go'])
  expect(prompts({ type: 'compaction', auto: true })).toEqual([])
  expect(prompts({ type: 'file', url: 'file:///x' }, text('look'), text('here'))).toEqual(['look\nhere'])
  expect(prompts(text('"say \\"hi\\" to me"'))).toEqual(['say "hi" to me'])
  expect(prompts(text('"one" and "two"'))).toEqual(['"one" and "two"'])
  expect(prompts(text('"word"'))).toEqual(['"word"'])
  expect(prompts(text('go <system-reminder>be good</system-reminder>'))).toEqual(['go'])
})

test('files come from the tools that write and succeeded', () => {
  const files = (...parts: object[]) => read(session(user('m1'), answer('m2', parts)))?.files
  expect(
    files(
      tool('write', { filePath: '/r/a' }),
      tool('edit', { filePath: '/r/b' }),
      tool('multiedit', { path: '/r/c' }),
    ),
  ).toEqual(['/r/a', '/r/b', '/r/c'])
  expect(
    files(tool('write', { filePath: '/r/a' }, { status: 'error' }), tool('read', { filePath: '/r/b' })),
  ).toEqual([])
  const patched = { files: [{ filePath: '/r/a', movePath: '/r/z' }, { relativePath: 'b' }] }
  expect(files(tool('apply_patch', { patchText: '*** Begin' }, { metadata: patched }))).toEqual([
    '/r/a',
    '/r/z',
    'b',
  ])
})

test('an answer that is being written counts when it is finished, but the files it wrote count at once', () => {
  const unfinished = {
    time: { created: 2 },
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
  }
  const running = session(
    user('m1', text('go')),
    answer('m2', [tool('write', { filePath: '/r/a' })], unfinished),
  )
  expect(read(running)).toMatchObject({ items: 1, prompts: ['go'], files: ['/r/a'], tokens: { calls: 0 } })
  const queued = session(...running.messages, user('m3', text('and more')))
  expect(read(queued, 1)).toMatchObject({ items: 0, prompts: [], files: ['/r/a'] })
  const done = session(user('m1', text('go')), answer('m2'), user('m3', text('and more')), answer('m4'))
  expect(read(done, 1)).toMatchObject({
    items: 3,
    prompts: ['and more'],
    tokens: { calls: 2, input: 20, output: 6 },
  })
})

test('an aborted answer does not hold up later ones', () => {
  const broken = answer('m2', [text('I will')], { time: { created: 2 } })
  expect(
    read(session(user('m1', text('go')), broken, user('m3', text('again')), answer('m4'))),
  ).toMatchObject({
    items: 4,
    tokens: { calls: 2 },
  })
})

test('copied messages of a fork do not count, nor messages from before the recording', () => {
  const fork = {
    info: { id: 's', time: { created: 3 } },
    messages: [user('m1', text('old')), answer('m2'), user('m3', text('new')), answer('m4')],
  }
  expect(read(fork)).toMatchObject({ items: 4, prompts: ['new'], tokens: { calls: 1 } })
  const resumed = session(user('m1', text('old')), answer('m2'), user('m3', text('new')), answer('m4'))
  expect(read(resumed)).toMatchObject({ items: 4, prompts: ['old', 'new'] })
  expect(read(resumed, 0, { since: 'm3' })).toMatchObject({
    items: 4,
    prompts: ['new'],
    tokens: { calls: 1 },
  })
  expect(read(resumed, 2, { since: 'm4' })).toMatchObject({ items: 2, prompts: ['new'] })
  expect(read(resumed, 0, { since: 'gone' })).toMatchObject({ prompts: ['old', 'new'] })
})

test('after an undo only new messages count', () => {
  const undone = session(
    user('m1', text('one')),
    answer('m2'),
    user('m5', text('two')),
    answer('m6'),
    user('m7', text('three')),
    answer('m8'),
  )
  const again = (from: number, last: string) =>
    opencodeTranscript.readDocument?.(JSON.stringify(undone), from, {}, { last })
  for (const from of [2, 4, 6, 9])
    expect(again(from, 'm4')).toMatchObject({
      prompts: ['two', 'three'],
      tokens: { calls: 2 },
      carry: { last: 'm8' },
    })
  expect(again(4, 'm6')).toMatchObject({ items: 2, prompts: ['three'] })
  // A redo may restore undone messages; they were counted.
  expect(again(2, 'm9')).toMatchObject({ prompts: [], tokens: { calls: 0 }, carry: { last: 'm9' } })
})

test('a compaction counts its tokens, but its text is not the last answer', () => {
  const compacted = answer('m3', [text('We were at work on…')], { summary: true, mode: 'compaction' })
  const reading = read(
    session(
      user('m1', text('go')),
      answer('m2', [text('Did it.')]),
      user('m2', { type: 'compaction' }),
      compacted,
    ),
  )
  expect(reading).toMatchObject({ summary: 'Did it.', prompts: ['go'], tokens: { calls: 2 } })
})

test('a message without usage is not a call of the model', () => {
  expect(
    read(session(user('m1'), answer('m2', [], { tokens: null }), answer('m3', [], { tokens: { input: -5 } })))
      ?.tokens.calls,
  ).toBe(0)
})

test('text that is not an export is refused', () => {
  for (const wrong of ['', '{', '[]', '{"messages":{}}'])
    expect(() => opencodeTranscript.readDocument?.(wrong, 0)).toThrow('list of messages')
  expect(opencodeTranscript.readLines(['a', 'b'], undefined)).toMatchObject({ items: 2, prompts: [] })
  expect(opencodeTranscript.shape('{"info":{}')).toBe('document')
})

test('any values in an export give valid numbers', () => {
  const value = fc.jsonValue({ maxDepth: 4 })
  const message = fc.oneof(
    value,
    fc.record({
      info: fc.record({ role: fc.constantFrom('user', 'assistant'), tokens: value, time: value }),
      parts: value,
    }),
  )
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), fc.nat(7), (messages, from) => {
      const reading = read({ messages }, from)
      expect(reading?.items).toBeLessThanOrEqual(messages.length)
      expect(reading?.prompts.every((prompt) => typeof prompt === 'string')).toBe(true)
      for (const count of Object.values(reading?.tokens ?? {})) expect(count).toBeGreaterThanOrEqual(0)
      opencodeTranscript.readEntries?.(JSON.stringify({ messages }), from)
    }),
  )
})
