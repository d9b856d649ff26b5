// Measures how fast a transcript is redacted, and how much the keyword engine gains over trying every rule
// everywhere.

import { defaultSettings } from '../../src/model/settings.ts'
import { createRedactor, redactText, redactTranscript } from '../../src/redact/redact.ts'
import { findSecretsNaively } from '../support/naive-redaction.ts'

const megabyte = 1_000_000
const files = [
  'src/recording/dispatch.ts',
  'packages/web/app/routes/users.$userId.tsx',
  'internal/store/checkpoint_store_test.go',
]
const prose =
  'I looked at the failing test and the cause is that the token counter is reset before the session is saved. ' +
  'The password field of the form is validated twice; see https://developer.mozilla.org/en-US/docs/Web/HTTP for the header. '
const code = [
  "import { parseTranscript, type Token } from '../agents/claude-code/transcript.ts'",
  'export async function readSessions(dir: string, options: { limit?: number } = {}): Promise<Session[]> {',
  "  const names = (await readdir(dir)).filter((name) => name.endsWith('.json'))",
  '  if (token === undefined) throw new EntireError("not-found", `No session named so.`)',
  '    "integrity_checked": true, "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8",',
  '  return Promise.all(names.map(async (name) => parseSession(await readFile(join(dir, name)))))',
  '}',
]

/** A generator that always gives the same numbers, so that two runs measure the same text. */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export function transcript(bytes: number, next: () => number = sequence(7)): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!
  const random = (length: number) =>
    Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join('')
  const secret = () =>
    pick([
      `export GITHUB_TOKEN=${'ghp'}_${random(36)}`,
      `postgres://app:${random(12)}@db.internal/app`,
      random(40),
    ])
  const lines: string[] = []
  for (let size = 0, n = 0; size < bytes; n++) {
    const output = Array.from(
      { length: 5 + Math.floor(next() * 120) },
      (_, i) => `${String(i + 1).padStart(6)}→${pick(code)}`,
    )
    if (n % 50 === 0) output.push(secret())
    const content = n % 3 === 0 ? prose.repeat(1 + Math.floor(next() * 6)) : output.join('\n')
    const line = JSON.stringify({
      parentUuid: `${random(8)}-0b1c-4c57-9d5e-3c1e6d0f2a77`,
      sessionId: '4f0f9a8e-0b1c-4c57-9d5e-3c1e6d0f2a77',
      cwd: '/home/dev/projects/shop',
      type: n % 3 === 0 ? 'assistant' : 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `toolu_01${random(22)}`, content }],
        usage: { input_tokens: 12, cache_read_input_tokens: 4711, output_tokens: 812 },
      },
      toolUseResult: { file: { filePath: pick(files), numLines: output.length } },
    })
    lines.push(line)
    size += line.length + 1
  }
  return `${lines.join('\n')}\n`
}

function megabytesPerSecond(text: string, act: (text: string) => unknown): number {
  const started = performance.now()
  act(text)
  return text.length / megabyte / ((performance.now() - started) / 1000)
}

export async function benchRedact(): Promise<{ name: string; value: number; unit: string }[]> {
  const redactor = createRedactor(defaultSettings.redaction)
  const corpus = transcript(20 * megabyte)
  const sample = corpus.slice(0, corpus.indexOf('\n', megabyte / 2) + 1)
  const cold = megabytesPerSecond(sample, (text) => redactTranscript(text, redactor))
  const fast = megabytesPerSecond(corpus, (text) => redactTranscript(text, redactor))
  const naive = megabytesPerSecond(sample, (text) =>
    text.split('\n').map((line) => redactText(line, redactor, findSecretsNaively)),
  )
  return [
    { name: 'redact, first 0.5 MB of a process', value: cold, unit: 'MB/s' },
    { name: 'redact, 20 MB transcript (goal: 30)', value: fast, unit: 'MB/s' },
    { name: 'redact, every rule everywhere', value: naive, unit: 'MB/s' },
    { name: 'redact, gain by keywords', value: fast / naive, unit: 'x' },
  ]
}

if (import.meta.main)
  for (const { name, value, unit } of await benchRedact()) console.log(`${name}: ${value.toFixed(1)} ${unit}`)
