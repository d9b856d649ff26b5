import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  chunkBytes,
  chunkDocument,
  chunkLines,
  joinChunks,
  maxBlobBytes,
  planAppend,
} from './transcript-chunks.ts'

const texts = (chunks: Buffer[]) => chunks.map((chunk) => chunk.toString())
const code = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe('lines', () => {
  test.each([
    ['', 4, ['']],
    ['a\nb\n', 100, ['a\nb\n']],
    ['aa\nbb\ncc', 6, ['aa\nbb', 'cc']],
    ['aa\nbb\ncc\n', 6, ['aa\nbb', 'cc\n']],
    ['aaaa\nb\n', 4, ['aaaa', 'b\n']],
    ['aaaaaaaa\nb\n', 4, ['aaaaaaaa', 'b\n']],
    ['aaaaaaaa\n', 4, ['aaaaaaaa\n']],
    ['\n\n\n', 2, ['\n', '\n']],
  ])('%j cut at %d gives %j', (text, max, chunks) => {
    expect(texts(chunkLines(Buffer.from(text), max))).toEqual(chunks)
  })

  test('chunks join to exactly the input, whatever its line endings', () => {
    const line = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constant(''), fc.constant('\r'))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 1, max: 60 }), (lines, max) => {
        const text = Buffer.from(lines.join('\n'))
        const chunks = chunkLines(text, max)
        expect(joinChunks(chunks).equals(text)).toBe(true)
        for (const [index, chunk] of chunks.slice(1).entries())
          expect(chunks[index]!.length + 1 + chunk.length).toBeGreaterThan(max)
        for (const chunk of chunks)
          expect(chunk.length <= max || !chunk.subarray(0, -1).includes('\n')).toBe(true)
      }),
    )
  })

  test('appending to the input leaves all chunks but the last as they were', () => {
    const before = Buffer.from('aa\nbb\ncc\ndd')
    const after = Buffer.from('aa\nbb\ncc\ndd\nee\nff')
    expect(texts(chunkLines(after, 6)).slice(0, 1)).toEqual(texts(chunkLines(before, 6)).slice(0, 1))
  })

  test('a line that no host would accept is refused with a hint', () => {
    expect(code(() => chunkLines(Buffer.alloc(maxBlobBytes + 1, 'x'), chunkBytes))).toBe(
      'transcript-too-large',
    )
    expect(chunkLines(Buffer.alloc(maxBlobBytes, 'x'), chunkBytes)).toHaveLength(1)
  })
})

describe('documents', () => {
  const document = (count: number, indent?: number) =>
    JSON.stringify(
      {
        sessionId: 's',
        messages: Array.from({ length: count }, (_, id) => ({ id, text: `"],{\\` })),
        messageCount: count,
      },
      null,
      indent,
    )

  test('every chunk is a document with messages', () => {
    const chunks = chunkDocument(Buffer.from(document(9)), 120)
    expect(chunks.length).toBeGreaterThan(2)
    const ids = chunks.flatMap((chunk) =>
      JSON.parse(chunk.toString()).messages.map((message: { id: number }) => message.id),
    )
    expect(ids).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(JSON.parse(chunks[0]!.toString())).toMatchObject({ sessionId: 's', messageCount: 9 })
    expect(Object.keys(JSON.parse(chunks[1]!.toString()))).toEqual(['messages'])
  })

  test('chunks join to exactly the input, indentation included', () => {
    const message = fc.oneof(fc.json(), fc.constant('123456789012345678901234567890'))
    const anyDocument = fc
      .tuple(fc.array(message, { maxLength: 12 }), fc.constantFrom('', ' ', '\n  '), fc.boolean())
      .map(([messages, space, first]) => {
        const list = `"messages":${space}[${messages.map((text) => space + text + space).join(',')}]`
        const other = `"other":{"messages":[1,2]}`
        return `{${space}${first ? `${list},${other}` : `${other},${list}`}${space}}\n`
      })
    fc.assert(
      fc.property(anyDocument, fc.integer({ min: 1, max: 80 }), (text, max) => {
        expect(joinChunks(chunkDocument(Buffer.from(text), max)).toString()).toBe(text)
      }),
    )
  })

  test('chunks stay below the maximum size unless a single message is larger', () => {
    for (const chunk of chunkDocument(Buffer.from(document(50, 2)), 300)) {
      expect(chunk.length <= 300 || JSON.parse(chunk.toString()).messages.length === 1).toBe(true)
    }
  })

  test('a text that does not parse is cut at line ends', () => {
    expect(texts(chunkDocument(Buffer.from('{"messages":[1,\n2,\n3'), 16))).toEqual([
      '{"messages":[1,',
      '2,\n3',
    ])
  })

  test('chunks of the reference program join too, with the other keys of the first', () => {
    const chunks = ['{"id":7,"messages":[{"a":1}]}', '{"messages":[]}', '{"messages":[{"b":2},{"c":3}]}']
    expect(joinChunks(chunks.map((chunk) => Buffer.from(chunk))).toString()).toBe(
      '{"id":7,"messages":[{"a":1},{"b":2},{"c":3}]}',
    )
  })
})

describe('joining', () => {
  test('nothing stored is an empty transcript, one chunk is returned as it is', () => {
    expect(joinChunks([]).length).toBe(0)
    expect(joinChunks([Buffer.from('{ "messages" : [ ] }\n')]).toString()).toBe('{ "messages" : [ ] }\n')
  })

  test('lines that are JSON objects without messages stay lines', () => {
    expect(joinChunks([Buffer.from('{"a":1}'), Buffer.from('{"messages":[1]}')]).toString()).toBe(
      '{"a":1}\n{"messages":[1]}',
    )
  })
})

describe('a growing transcript', () => {
  test.each([
    ['nothing stored yet', [], 10, 0],
    ['a small tail is taken in', [15], 10, 0],
    ['a tail twice as large stays', [20], 10, 1],
    ['taking one in may reach the next', [40, 15, 8], 5, 0],
    ['a full chunk stays for good', [chunkBytes, 3], 10, 1],
    ['what fills a chunk is not joined further', [3], chunkBytes - 3, 1],
    ['what just fits is', [3], chunkBytes - 4, 0],
    ['nothing appended changes nothing', [5, 1], 0, 2],
  ])('%s', (_, sizes, appended, keep) => {
    expect(
      planAppend(
        sizes.map((bytes) => ({ bytes })),
        appended,
      ),
    ).toEqual({ keep })
  })

  test('the number of chunks and the bytes written stay small for any sequence of appends', () => {
    const append = fc.oneof(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 40_000 }),
      fc.integer({ min: 1, max: 3 * chunkBytes }),
    )
    fc.assert(
      fc.property(fc.array(append, { maxLength: 400, size: 'max' }), (appends) => {
        let chunks: { bytes: number }[] = []
        let total = 0
        let written = 0
        for (const bytes of appends) {
          const { keep } = planAppend(chunks, bytes)
          const merged = chunks.slice(keep).reduce((sum, chunk) => sum + chunk.bytes + 1, bytes)
          chunks = [...chunks.slice(0, keep), ...cutSizes(merged)]
          total += bytes
          written += merged
          expect(chunks.length).toBeLessThan(24 * (1 + (2 * total) / chunkBytes))
        }
        expect(written).toBeLessThanOrEqual(total * (1 + Math.log(chunkBytes) / Math.log(1.5)))
      }),
    )
  })

  test('a thousand equal appends write each byte only a few times', () => {
    let chunks: { bytes: number }[] = []
    let written = 0
    for (let turn = 0; turn < 1000; turn += 1) {
      const { keep } = planAppend(chunks, 10_000)
      const merged = chunks.slice(keep).reduce((sum, chunk) => sum + chunk.bytes + 1, 10_000)
      chunks = [...chunks.slice(0, keep), ...cutSizes(merged)]
      written += merged
    }
    expect(written / 10_000_000).toBeLessThan(8)
    expect(chunks.length).toBeLessThan(14)
  })

  test('stored chunks always join to what was appended', () => {
    let stored: Buffer[] = []
    let expected = ''
    for (let turn = 0; turn < 120; turn += 1) {
      const appended = Array.from(
        { length: 1 + ((turn * 7) % 5) },
        (_, index) => `{"turn":${turn},"text":"${'x'.repeat((turn * 997 + index * 131) % 40_000)}"}`,
      ).join('\n')
      const { keep } = planAppend(
        stored.map(({ length }) => ({ bytes: length })),
        appended.length,
      )
      stored = [
        ...stored.slice(0, keep),
        ...chunkLines(joinChunks([...stored.slice(keep), Buffer.from(appended)]), chunkBytes),
      ]
      expected = expected === '' ? appended : `${expected}\n${appended}`
    }
    expect(joinChunks(stored).toString() === expected).toBe(true)
    expect(stored.length).toBeGreaterThan(1)
  })
})

/** The sizes `chunkLines` gives for short lines. */
function cutSizes(bytes: number): { bytes: number }[] {
  const whole = Math.floor((bytes - 1) / chunkBytes)
  return [
    ...Array.from({ length: whole }, () => ({ bytes: chunkBytes - 1 })),
    { bytes: bytes - whole * chunkBytes },
  ]
}
