import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { cleanCodexPrompt } from '../codex/rollout.ts'
import { cleanCopilotPrompt } from '../copilot-cli/transcript.ts'
import { cleanCursorPrompt } from '../cursor/transcript.ts'
import { cleanPrompt } from './message-text.ts'
import { findTagged, removeTagged } from './tagged-blocks.ts'

const isTag = (name: string) => name === 'a' || name === 'b-c' || /^ide_\w+$/.test(name)
const slow = /<(a|b-c|ide_\w+)(?:\s[^>]*)?>[\s\S]*?<\/\1>/g

test('blocks are removed as the expression for them does it', () => {
  const piece = fc.constantFrom(
    ...['<a>', '</a>', '<a', '<b-c x="1">', '</b-c>', '<b-c\n', '<ide_x>', '</ide_x>', '<ide_>', '</ide_>'],
    ...['<', '>', '/', ' ', 'text', '<c>', '</c>', '<ab>', '</ab>'],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      expect(removeTagged(text, isTag)).toBe(text.replace(slow, ''))
      const inner = [...text.matchAll(/<a(?:\s[^>]*)?>([\s\S]*?)<\/a>/g)].map((match) => match[1])
      expect(findTagged(text, (name) => name === 'a').map((block) => block.inner)).toEqual(inner as string[])
    }),
    { numRuns: 500 },
  )
})

const shapes: [string, (count: number) => string][] = [
  ['tags that nothing closes', (count) => '<system-reminder>'.repeat(count)],
  ['tags without an end', (count) => '<system-reminder '.repeat(count)],
  ['tags that close nothing', (count) => '</system-reminder>'.repeat(count)],
  ['many names', (count) => Array.from({ length: count }, (_, at) => `<ide_${at}>`).join('')],
  ['queries that nothing closes', (count) => '<user_query>'.repeat(count)],
  ['reminders of Copilot', (count) => '<reminder>'.repeat(count)],
  ['contexts of an editor', (count) => '# Context from my IDE setup:\n'.repeat(count)],
  ['blanks', (count) => `x${' '.repeat(count * 10)}x`],
]

/** Milliseconds of this process on a processor, of the quickest of three runs: others may be busy, too. */
function timeOf(act: () => void): number {
  const times = [0, 1, 2].map(() => {
    const start = process.cpuUsage()
    act()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

test.each(shapes)('a prompt of 2 MB takes the time of its length: %s', (_name, shape) => {
  // Sixteen times as long: the square would take 256 times as long.
  const [little, much] = [shape(7_500), shape(120_000)]
  for (const clean of [cleanPrompt, cleanCursorPrompt, cleanCopilotPrompt, cleanCodexPrompt])
    expect(timeOf(() => clean(much))).toBeLessThan(
      100 *
        Math.max(
          1,
          timeOf(() => clean(little)),
        ),
    )
})
