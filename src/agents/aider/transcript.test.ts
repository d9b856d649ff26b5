import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import type { TranscriptReading } from '../../model/agent.ts'
import { addTokens } from '../../model/tokens.ts'
import { aiderTranscript } from './transcript.ts'

const fixtures = resolve(import.meta.dir, '../../../test/fixtures/agents/aider')
const fixture = (name: string) => readFileSync(join(fixtures, name), 'utf8')
const linesOf = (text: string) => text.replace(/\n$/, '').split('\n')

const expected: Record<string, Pick<TranscriptReading, 'prompts' | 'files' | 'tokens'> & { model: string }> =
  {
    'commands.md': {
      prompts: [
        'why does the parser accept an empty file?',
        'Refuse empty files:\n\n- throw an error\n- say which file it is',
      ],
      files: [],
      tokens: { input: 2100, cacheCreation: 0, cacheRead: 0, output: 180, calls: 1 },
      model: 'anthropic/claude-sonnet-4-5',
    },
    'edits.md': {
      prompts: ['greet in French', 'and say goodbye in a file of its own', 'greet louder'],
      files: ['greet.txt', 'docs/good bye.txt'],
      // Sent, without tokens written to the cache (1.5k) and read from it (4.0k, 12k): 2.3k + 6.5k + 1k +
      // 1234.
      tokens: { input: 11_034, cacheCreation: 1500, cacheRead: 16_000, output: 2_501_405, calls: 4 },
      model: 'o3',
    },
    'message.md': {
      prompts: ['# Task\n\n#### Scope\n\nMake it **quiet**.'],
      files: ['quiet.txt'],
      tokens: { input: 730, cacheCreation: 0, cacheRead: 0, output: 895, calls: 1 },
      model: 'ollama_chat/qwen3:8b',
    },
  }

describe('a chat history', () => {
  for (const [name, { model, ...rest }] of Object.entries(expected)) {
    test(`${name} gives prompts, edited files, tokens and the model`, () => {
      const reading = aiderTranscript.readLines(linesOf(fixture(name)), undefined)
      expect(reading).toMatchObject({ ...rest, model, subagents: [], items: linesOf(fixture(name)).length })
    })
  }

  test('reads the same in pieces as at once', () => {
    const lines = linesOf(fixture('edits.md'))
    const whole = aiderTranscript.readLines(lines, undefined)
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(lines.length)), (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), lines.length]
        const parts: TranscriptReading[] = []
        for (const [index, from] of edges.slice(0, -1).entries())
          parts.push(aiderTranscript.readLines(lines.slice(from, edges[index + 1]), parts.at(-1)?.carry))
        expect(parts.flatMap((part) => part.prompts)).toEqual(whole.prompts)
        expect(parts.map((part) => part.tokens).reduce(addTokens)).toEqual(whole.tokens)
        expect(new Set(parts.flatMap((part) => part.files))).toEqual(new Set(whole.files))
        expect(parts.at(-1)?.model).toBe(whole.model)
      }),
      { seed: 16, numRuns: 100 },
    )
  })

  test('reads the same with Windows line endings', () => {
    const lines = linesOf(fixture('edits.md'))
    const { prompts, files, tokens } = aiderTranscript.readLines(
      lines.map((line) => `${line}\r`),
      undefined,
    )
    expect({ prompts, files, tokens }).toEqual({ ...expected['edits.md'], model: undefined } as never)
  })

  test('with lines of unknown kinds gives no prompts, files or tokens', () => {
    const lines = [
      '> Tokens: many sent, few received.  ',
      '> Applied edit to   ',
      '> Commit of nothing  ',
      '> Model: ?  ',
      '####',
      '#####  ',
      '>',
      '',
    ]
    expect(aiderTranscript.readLines(lines, undefined)).toMatchObject({
      prompts: [],
      files: [],
      tokens: { calls: 0 },
    })
  })
})

test('the conversation leaves out commands and reports of aider', () => {
  expect(aiderTranscript.readEntries?.(fixture('message.md'), 0)).toEqual([
    { role: 'user', text: '# Task\n\n#### Scope\n\nMake it **quiet**.' },
    { role: 'assistant', text: 'quiet.txt\n```\n```' },
    { role: 'tool', name: 'edit', text: 'quiet.txt' },
  ])
  const entries = aiderTranscript.readEntries?.(fixture('commands.md'), 0) ?? []
  expect(entries.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(entries[1]?.text).toStartWith('#### Where it happens\n')
})

test('the conversation can be read from a position on', () => {
  const lines = linesOf(fixture('edits.md'))
  const from = lines.indexOf('#### and say goodbye in a file of its own  ')
  expect(
    aiderTranscript
      .readEntries?.(fixture('edits.md'), from)
      ?.map(({ role, text }) => [role, text.split('\n')[0]]),
  ).toEqual([
    ['user', 'and say goodbye in a file of its own'],
    ['assistant', 'Here is the new file.'],
    ['assistant', 'Sorry. With its name:'],
    ['tool', 'docs/good bye.txt'],
    ['tool', 'feat: say goodbye'],
    ['user', 'greet louder'],
    ['assistant', 'LOUDER'],
  ])
})
