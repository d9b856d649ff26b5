// What holds for the transcripts of every agent, shown on all that were captured: later versions write more,
// and other things.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { fixtureLines } from '../../test/fixtures/agents/read-transcripts.ts'
import type { TranscriptReading } from '../model/agent.ts'
import { totalTokens } from '../model/tokens.ts'
import { asObject, type Json, type JsonObject, parseJson } from '../std/json.ts'
import { agents } from './all.ts'

const fixtures = join(import.meta.dir, '../../test/fixtures/agents')
const findAll = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: fixtures, dot: true })].sort()

type Captured = [name: string, lines: string[], read: (lines: string[]) => TranscriptReading]

const logs = agents.flatMap(({ name, transcript }) =>
  findAll(`${name}/*/home/**/*.jsonl`).map(
    (path): Captured => [path, fixtureLines(path), (lines) => transcript.readLines(lines, undefined)],
  ),
)

/** The transcript of OpenCode is one document; here each of its messages is a line. */
const documents = agents.flatMap(({ name, transcript }) =>
  findAll(`${name}/*/export.json`).map((path): Captured => {
    const { messages, ...rest } = JSON.parse(readFileSync(join(fixtures, path), 'utf8')) as {
      messages: Json[]
    }
    const read = (lines: string[]) => {
      const document = { ...rest, messages: lines.map((line) => parseJson(line) ?? null) }
      return transcript.readDocument?.(JSON.stringify(document), 0) as TranscriptReading
    }
    return [path, messages.map((message) => JSON.stringify(message)), read]
  }),
)

const histories = findAll('aider/[!R]*.md').map((path): Captured => {
  const aider = agents.find(({ name }) => name === 'aider')
  return [
    path,
    fixtureLines(path),
    (lines) => aider?.transcript.readLines(lines, undefined) as TranscriptReading,
  ]
})

const future: JsonObject = { ofTheFuture: { deep: [{ er: null }] }, schemaVersion: 99 }

/**
 * Adds fields to the line and to its objects, but not deeper: there are names of files and arguments of
 * tools.
 */
function withMoreFields(line: string): string {
  const entry = asObject(parseJson(line))
  if (entry === undefined) return line
  const inner = Object.entries(entry).map(([key, value]) => [
    key,
    asObject(value) === undefined ? value : { ...asObject(value), ...future },
  ])
  return JSON.stringify({ ...Object.fromEntries(inner), ...future })
}

const strangers = [
  '{"type":"of-the-future","payload":{"type":"of-the-future"},"data":{},"message":{"role":"critic"}}',
  'null',
  '7',
  '[]',
  '{"a":',
]

const saidOf = ({ items: _items, carry: _carry, ...said }: TranscriptReading) => said

function expectSound(reading: TranscriptReading, lines: string[]): void {
  // A message of a document that is still being written is not counted yet.
  expect(reading.items).toBeLessThanOrEqual(lines.length)
  for (const words of [reading.files, reading.prompts, reading.subagents])
    for (const word of words) expect(typeof word).toBe('string')
  for (const word of [reading.summary, reading.model, reading.lastId])
    expect(['string', 'undefined']).toContain(typeof word)
  expect(totalTokens(reading.tokens)).toBeGreaterThanOrEqual(0)
  expect(JSON.parse(JSON.stringify(reading.carry ?? {}))).toEqual(reading.carry ?? {})
}

test('every agent has a transcript in this test', () => {
  const seen = new Set(
    [...logs, ...documents, ...histories].map(([path]) => path.slice(0, path.indexOf('/'))),
  )
  expect([...seen].sort()).toEqual(agents.map(({ name }) => name).sort())
})

describe.each([...logs, ...documents])('%s', (_path, lines, read) => {
  test('reads the same with unknown fields', () => {
    expect(saidOf(read(lines.map(withMoreFields)))).toEqual(saidOf(read(lines)))
  })

  test('reads the same with unknown or empty lines between its own', () => {
    const mixed = lines.flatMap((line) => [line, ...strangers])
    expectSound(read(mixed), mixed)
    expect(saidOf(read(mixed))).toEqual(saidOf(read(lines)))
  })
})

describe.each([...logs, ...documents, ...histories])('%s', (_path, lines, read) => {
  test('is readable when any value has the wrong type', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.jsonValue({ maxDepth: 2 }), (at, which, value) => {
        const broken = lines.with(
          at % lines.length,
          spoil(lines[at % lines.length] as string, which, value as Json),
        )
        expectSound(read(broken), broken)
      }),
      { numRuns: 60 },
    )
  })

  test('is readable wherever it was cut off', () => {
    for (let end = 0; end <= lines.length; end += Math.max(1, Math.floor(lines.length / 20))) {
      const part = [...lines.slice(0, end), (lines[end] ?? '{"').slice(0, -1)]
      expectSound(read(part), part)
    }
  })
})

/** Replaces the value of one field of a line, however deep. */
function spoil(line: string, which: number, value: Json): string {
  let fields = 0
  const count = (text: string, change: (at: number, old: unknown) => unknown) =>
    JSON.parse(text, (_key, old) => change(fields++, old))
  if (parseJson(line) === undefined) return JSON.stringify(value)
  count(line, (_at, old) => old)
  const chosen = which % fields
  fields = 0
  return JSON.stringify(count(line, (at, old) => (at === chosen ? value : old)))
}
