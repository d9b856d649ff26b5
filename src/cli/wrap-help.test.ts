import { expect, test } from 'bun:test'
import { helpWidth, wrapHelp, wrapLines } from './wrap-help.ts'

const help = `USAGE
  entire x [--agent agent]... [--all] [--to id] [<key>]
  entire x --help

Does this and that, and one more thing, for all
who need it. Then it stops.
A new sentence has a new line and \`a command --with flags\`.

EXAMPLES
  entire x                       # the usual call
  entire x --agent codex --all   # with all agents that there are
  entire x --to 3fa9c21          # to a point

FLAGS
     --agent...   Agent to install hooks for; repeat the flag     (default: all)
  -f --force      Do not ask
`

const narrow = `USAGE
  entire x [--agent agent]... [--all]
      [--to id] [<key>]
  entire x --help

Does this and that, and one more thing,
for all who need it. Then it stops.
A new sentence has a new line and
\`a command --with flags\`.

EXAMPLES
  entire x               # the usual call
  entire x --agent codex --all
      # with all agents that there are
  entire x --to 3fa9c21  # to a point

FLAGS
     --agent...   Agent to install hooks
                  for; repeat the flag
                  (default: all)
  -f --force      Do not ask
`

test('help is wrapped: between flags, below the text of a row, and examples above their meaning', () => {
  expect(wrapHelp(help, 41)).toBe(narrow)
})

test('colours have no width', () => {
  const coloured = help
    .replaceAll(/^[A-Z]+$/gm, '\x1b[4m$&\x1b[24m')
    .replace('--agent...', '\x1b[97m--agent...\x1b[39m')
    .replace('Agent to install hooks for; repeat the flag', '\x1b[3m$&\x1b[23m')
  expect(Bun.stripANSI(wrapHelp(coloured, 41))).toBe(narrow)
})

test.each([
  [Number.POSITIVE_INFINITY, 80],
  [72, 72],
  [200, 100],
  [10, 40],
])('in a terminal of %p columns help has %p', (columns, width) => {
  expect(helpWidth({ size: () => ({ columns, rows: 24 }) })).toBe(width)
})

test('errors and notes are wrapped line by line, and never between backquotes', () => {
  const text = 'error: There is nothing here.\nhint: Run `entire enable --agent gemini` once, then try again.'
  expect(wrapLines(text, 30)).toBe(
    'error: There is nothing here.\nhint: Run\n`entire enable --agent gemini`\nonce, then try again.',
  )
  expect(wrapLines(text, Number.POSITIVE_INFINITY)).toBe(text)
})
