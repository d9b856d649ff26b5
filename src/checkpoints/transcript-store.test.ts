import { describe, expect, test } from 'bun:test'
import { appendFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type TempRepo, tempRepo } from '../../test/support/repo.ts'
import { claudeCode } from '../agents/claude-code/index.ts'
import { gemini } from '../agents/gemini/index.ts'
import { openObjectReader } from '../git/cat-file.ts'
import type { TranscriptFormat } from '../model/agent.ts'
import type { TranscriptCursor } from '../model/session.ts'
import type { FreshBlob } from './chunk-store.ts'
import { joinChunks } from './transcript-chunks.ts'
import { digestTranscript } from './transcript-digest.ts'
import { readAppended, type TranscriptUpdate } from './transcript-store.ts'

/** Reads a transcript as an event would, storing its chunks with real git. */
async function readInto(
  repo: TempRepo,
  path: string,
  cursor?: TranscriptCursor,
  options: { format?: TranscriptFormat; ignoreBefore?: number } = {},
) {
  await using objects = openObjectReader(repo.repo)
  const blobs: FreshBlob[] = []
  const part = await readAppended({
    format: options.format ?? claudeCode.transcript,
    path,
    cursor,
    redact: async (text) => text.replaceAll('s3cret', 'REDACTED'),
    store: (blob) => blobs.push(blob),
    objects,
    sampleOid: await repo.head(),
    last: cursor,
    ignoreBefore: options.ignoreBefore ?? 0,
    isCopy: false,
    turnFrom: 0,
    metadata: undefined,
  })
  for (const { content } of blobs) await repo.run(['git', 'hash-object', '-w', '--stdin'], { stdin: content })
  return part?.parse()
}

async function stored(repo: TempRepo, update: TranscriptUpdate | undefined): Promise<string> {
  await using objects = openObjectReader(repo.repo)
  const chunks = await Promise.all(
    (update?.cursor.chunks ?? []).map(
      async ({ oid }) => (await objects.contents(oid))?.content ?? Buffer.from('missing'),
    ),
  )
  return joinChunks(chunks).toString('utf8')
}

const say = (id: number, text: string) =>
  JSON.stringify({
    type: 'assistant',
    uuid: `u${id}`,
    message: {
      id: `m${id}`,
      model: 'm',
      content: [{ type: 'text', text }],
      usage: { input_tokens: 1, output_tokens: 2 },
    },
  })

describe('a growing transcript', () => {
  test('data that only the agent’s maker can read is not stored, and nothing else changes', async () => {
    await using repo = await tempRepo()
    const path = join(repo.base, 't.jsonl')
    const strip = (line: string) => line.replace(/"sealed":"[^"]*"/, '"sealed":null')
    writeFileSync(path, `${say(1, 'a')}\n{"sealed":"xyz"}\n`)
    const first = await readInto(repo, path, undefined, { format: { ...claudeCode.transcript, strip } })
    appendFileSync(path, '{"sealed":"s3cret"}\n{"half')
    const second = await readInto(repo, path, first?.cursor, { format: { ...claudeCode.transcript, strip } })
    expect(await stored(repo, second)).toBe(`${say(1, 'a')}\n{"sealed":null}\n{"sealed":null}\n`)
    expect(second).toMatchObject({ restarted: false, cursor: { items: 3 } })
  })

  test('gives the same in any number of saves as in one, and is stored completely, redacted and hashed', async () => {
    await using repo = await tempRepo()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.string({ maxLength: 40 }), { maxLength: 6 }), { minLength: 1, maxLength: 6 }),
        async (saves) => {
          const path = join(repo.base, 'growing.jsonl')
          rmSync(path, { force: true })
          let cursor: TranscriptCursor | undefined
          let last: TranscriptUpdate | undefined
          let [calls, items, id] = [0, 0, 0]
          for (const texts of saves) {
            for (const text of texts) appendFileSync(path, `${say(id++, `${text} s3cret`)}\n`)
            const update = await readInto(repo, path, cursor)
            if (update === undefined) continue
            expect(update.restarted).toBe(false)
            calls += update.reading.tokens.calls
            items += update.reading.items
            cursor = update.cursor
            last = update
          }
          const whole = await readInto(repo, path)
          expect([calls, items]).toEqual([whole?.reading.tokens.calls ?? 0, whole?.reading.items ?? 0])
          expect(last?.cursor.items ?? 0).toBe(id)
          const text = await stored(repo, last)
          expect(text).toBe(await stored(repo, whole))
          expect(text).not.toContain('s3cret')
          if (last !== undefined) {
            await using objects = openObjectReader(repo.repo)
            expect(await digestTranscript(objects, last.cursor)).toBe(
              new Bun.CryptoHasher('sha256').update(text).digest('hex'),
            )
          }
        },
      ),
      { numRuns: 15 },
    )
  })

  test('that was rewritten or cut is read again from its beginning', async () => {
    await using repo = await tempRepo()
    const path = join(repo.base, 't.jsonl')
    writeFileSync(path, `${say(1, 'one')}\n${say(2, 'two')}\n`)
    const first = await readInto(repo, path)
    truncateSync(path, 10)
    writeFileSync(path, `${say(3, 'three')}\n`)
    const second = await readInto(repo, path, first?.cursor)
    expect(second).toMatchObject({ restarted: true, cursor: { items: 1 } })
    expect(await stored(repo, second)).toBe(`${say(3, 'three')}\n`)
  })

  test('keeps a last line without newline, and does not count the newline when it comes', async () => {
    await using repo = await tempRepo()
    const path = join(repo.base, 't.jsonl')
    writeFileSync(path, say(1, 'one'))
    const first = await readInto(repo, path)
    appendFileSync(path, `\n${say(2, 'two')}\n{"type":"assis`)
    const second = await readInto(repo, path, first?.cursor)
    expect(second?.cursor.items).toBe(2)
    expect(await stored(repo, second)).toBe(`${say(1, 'one')}\n${say(2, 'two')}\n`)
  })

  test('recorded from its middle on is stored completely, but only the rest counts', async () => {
    await using repo = await tempRepo()
    const path = join(repo.base, 't.jsonl')
    const old = `${say(1, 'one')}\n${say(2, 'two')}\n`
    writeFileSync(path, `${old}${say(3, 'three')}\n`)
    const update = await readInto(repo, path, undefined, { ignoreBefore: old.length })
    expect(update?.reading).toMatchObject({ items: 3, summary: 'three', tokens: { calls: 1 } })
    expect(await stored(repo, update)).toBe(`${old}${say(3, 'three')}\n`)
  })

  test('of many megabytes keeps its chunks and writes little more than what was appended', async () => {
    await using repo = await tempRepo()
    const path = join(repo.base, 'big.jsonl')
    const line = say(1, 'x'.repeat(100_000))
    writeFileSync(path, `${line}\n`.repeat(90))
    const first = await readInto(repo, path)
    expect(first?.cursor.chunks.length).toBeGreaterThan(2)
    appendFileSync(path, `${say(2, 'end')}\n`)
    const second = await readInto(repo, path, first?.cursor)
    const before = new Set(first?.cursor.chunks.map((chunk) => chunk.oid))
    const written = second?.cursor.chunks.filter((chunk) => !before.has(chunk.oid)) ?? []
    expect(written.reduce((sum, chunk) => sum + chunk.bytes, 0)).toBeLessThan(1_000)
    // The digest continues where it was left.
    await using objects = openObjectReader(repo.repo)
    const sha256 = async (update: TranscriptUpdate | undefined) =>
      new Bun.CryptoHasher('sha256').update(await stored(repo, update)).digest('hex')
    if (first === undefined || second === undefined) throw new Error('nothing was read')
    expect(await digestTranscript(objects, first.cursor)).toBe(await sha256(first))
    const third = await readInto(repo, path, {
      ...second.cursor,
      hash: first.cursor.hash,
      hashed: first.cursor.hashed,
    })
    if (third === undefined) throw new Error('nothing was read')
    expect(await digestTranscript(objects, third.cursor)).toBe(await sha256(second))
    expect(third.cursor.hashed).toBe((await stored(repo, second)).length)
  })
})

test('a line longer than the largest blob is refused with a hint', async () => {
  await using repo = await tempRepo()
  const path = join(repo.base, 'endless.jsonl')
  writeFileSync(path, `{"type":"user","text":"${'x'.repeat(60 * 1024 * 1024)}`)
  await expect(readInto(repo, path)).rejects.toMatchObject({
    code: 'transcript-too-large',
    hint: expect.stringContaining('Files are recorded'),
  })
})

test('a document is read by messages; one that is being written is stored as it is', async () => {
  await using repo = await tempRepo()
  const path = join(repo.base, 'session.json')
  const message = (id: string, type: string, content: string) => ({ id, type, content })
  writeFileSync(
    path,
    JSON.stringify({
      sessionId: 's',
      messages: [message('1', 'user', 'hello'), message('2', 'gemini', 'hi')],
    }),
  )
  const first = await readInto(repo, path, undefined, { format: gemini.transcript })
  expect(first).toMatchObject({ cursor: { items: 2 }, reading: { prompts: ['hello'] } })
  writeFileSync(path, '{"sessionId":"s","messages":[{"id":"1","ty')
  const torn = await readInto(repo, path, first?.cursor, { format: gemini.transcript })
  expect(torn).toMatchObject({ reading: { prompts: [], files: [] } })
})
