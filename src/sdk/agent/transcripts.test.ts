import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ItemReader } from './transcripts.ts'
import { jsonlTranscript, jsonTranscript, rawTranscript } from './transcripts.ts'

interface Item {
  say?: string
  ask?: string
  files?: string[]
  usage?: { input: number; output: number; id?: string }
}

const reader: ItemReader<Item> = {
  prompt: (item) => item.ask,
  files: (item) => item.files,
  summary: (item) => item.say,
  tokens: (item) => item.usage,
}

const items: Item[] = [
  { ask: 'Write a parser' },
  { files: ['a.ts', 'b.ts'], usage: { input: 10, output: 1, id: 'm1' } },
  { say: 'Half done', usage: { input: 10, output: 3, id: 'm1' } },
  { ask: 'Go on' },
  { files: ['a.ts'], say: 'Done', usage: { input: 5, output: 2 } },
]

const jsonl = jsonlTranscript<Item>(reader)
const json = jsonTranscript<Item>(reader)
const asLines = (values: unknown[]) =>
  Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
const asDocument = (values: unknown[]) =>
  Buffer.from(JSON.stringify({ id: 'x', messages: values, version: 2 }, null, 2))

describe.each([
  ['lines', jsonl, asLines],
  ['a document', json, asDocument],
] as const)('a transcript of %s', (_name, transcript, write) => {
  test('is read from a position on; a message that grows is counted once', () => {
    expect(transcript.position(write(items))).toBe(5)
    expect(transcript.read(write(items), 0)).toEqual({
      files: ['a.ts', 'b.ts'],
      prompts: ['Write a parser', 'Go on'],
      summary: 'Done',
      tokens: { input: 15, output: 5, cacheCreation: 0, cacheRead: 0, calls: 2 },
    })
    expect(transcript.read(write(items), 3)).toMatchObject({
      files: ['a.ts'],
      prompts: ['Go on'],
      tokens: { input: 5, calls: 1 },
    })
  })

  test('has nothing beyond its end', () => {
    expect(transcript.read(write(items), 99)).toEqual({
      files: [],
      prompts: [],
      tokens: { input: 0, output: 0, cacheCreation: 0, cacheRead: 0, calls: 0 },
    })
  })

  test('may be empty', () => {
    expect(transcript.position(Buffer.alloc(0))).toBe(0)
    expect(transcript.read(Buffer.from('{}'), 0).prompts).toEqual([])
  })

  test('may hold items that the author has not seen', () => {
    const strange = [null, 7, 'text', { ask: 'Hello', files: 3 }, { usage: { input: -1, output: 1.5 } }]
    expect(transcript.read(write(strange), 0).prompts).toEqual(['Hello'])
  })
})

describe('lines', () => {
  test('that are not complete are not counted yet; a whole one without newline is', () => {
    expect(jsonl.position(Buffer.from('{"a":1}\n{"b":'))).toBe(1)
    expect(jsonl.position(Buffer.from('{"a":1}\n{"b":2}'))).toBe(2)
    expect(jsonl.position(Buffer.from('{"a":1}\n{"b":2}\n'))).toBe(2)
  })

  test('that are not JSON keep their position', () => {
    const bytes = Buffer.from('garbage\n{"ask":"Hello"}\n')
    expect(jsonl.position(bytes)).toBe(2)
    expect(jsonl.read(bytes, 1).prompts).toEqual(['Hello'])
  })

  test('are cut at their ends, and are joined by newlines without the plugin, too', () => {
    const bytes = asLines(items)
    const chunks = jsonl.chunk(bytes, 60)
    expect(chunks.length).toBeGreaterThan(1)
    for (const chunk of chunks)
      for (const line of chunk.toString().split('\n')) if (line !== '') JSON.parse(line)
    expect(chunks.map(String).join('\n')).toBe(bytes.toString())
  })
})

describe('a document', () => {
  test('is cut between its messages', () => {
    const bytes = asDocument(items.map((item) => ({ ...item, note: 'commas, "quotes", [brackets]' })))
    const chunks = json.chunk(bytes, 200)
    expect(chunks.length).toBeGreaterThan(2)
    for (const chunk of chunks.slice(0, -1)) expect(chunk.toString()).toEndWith('},')
  })

  test('may be a list, or have its messages under another key', () => {
    expect(json.position(Buffer.from('[{"ask":"a"},{"ask":"b"}]'))).toBe(2)
    const turns = jsonTranscript<Item>({ ...reader, list: 'turns' })
    expect(turns.read(Buffer.from('{"messages":[1],"turns":[{"ask":"a"}]}'), 0).prompts).toEqual(['a'])
  })

  test('that is not JSON is a failure, not an empty transcript', () => {
    expect(() => json.position(Buffer.from('garbage'))).toThrow()
  })
})

describe('no byte is lost', () => {
  const seed = { seed: Number(process.env.ENTIRE_TEST_SEED ?? 4) }
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    fc.array(fc.jsonValue(), { maxLength: 20 }).map(asLines),
    fc.array(fc.jsonValue(), { maxLength: 20 }).map(asDocument),
    fc
      .array(fc.constantFrom('\n', '\r\n', '{"a":1}', 'ü', '"', ',', '[', ']', '\\'), { maxLength: 60 })
      .map((parts) => Buffer.from(parts.join(''))),
  )

  test.each([
    ['lines', jsonl],
    ['documents', json],
    ['bytes', rawTranscript],
  ] as const)('when %s are cut and joined', (_name, transcript) => {
    fc.assert(
      fc.property(content, fc.integer({ min: 1, max: 200 }), (bytes, max) => {
        const chunks = transcript.chunk(bytes, max)
        expect(transcript.join(chunks).equals(bytes)).toBe(true)
        if (bytes.length <= max) expect(chunks.length).toBe(1)
      }),
      seed,
    )
  })

  test('and no chunk of lines is larger than requested, unless a line is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 19, unit: 'grapheme-ascii' }), { maxLength: 50 }),
        fc.integer({ min: 20, max: 100 }),
        (texts, max) => {
          const bytes = Buffer.from(texts.map((text) => `${text.replaceAll('\n', '')}\n`).join(''))
          for (const chunk of jsonl.chunk(bytes, max)) expect(chunk.length).toBeLessThanOrEqual(max)
        },
      ),
      seed,
    )
  })
})
