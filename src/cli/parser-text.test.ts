import { expect, test } from 'bun:test'
import { entire } from '../../test/support/entire.ts'
import { tempDir } from '../../test/support/repo.ts'
import { plainHelp } from './parser-text.ts'

const ofParser = `USAGE
  entire x [--all] [<key>]

FLAGS
     [--agent]...  Agent to watch                 [separator: ,]
  -f [--force]     Do not ask
     [--seconds]   How long [maximum 5]           [default: 10]
      --to         A required flag
  -h  --help       Print this help
      --           Take the words that follow as arguments, not as flags

ARGUMENTS
  [key]  Name of a setting
   from  Where it is
`

const ours = `USAGE
  entire x [--all] [<key>]

FLAGS
     --agent...   Agent to watch
  -f --force      Do not ask
     --seconds    How long [maximum 5]           (default: 10)
     --to         A required flag
  -h --help       Print this help
     --           Take the words that follow as arguments, not as flags

ARGUMENTS
  key   Name of a setting
  from  Where it is
`

test('names in the lists of flags and arguments have no brackets, and still line up', () => {
  expect(plainHelp(ofParser)).toBe(ours)
})

test('help in colour says the same as help without', async () => {
  await using dir = tempDir()
  for (const command of ['enable', 'configure', 'watch', 'agent']) {
    const plain = await entire(dir, [command, '--help'])
    const coloured = await entire(dir, [command, '--help'], { env: { FORCE_COLOR: '1' } })
    expect(coloured.out).not.toBe(plain.out)
    expect(Bun.stripANSI(coloured.out).replace(/ +$/gm, '')).toBe(plain.out)
  }
})

test.each([
  ['an unknown command', ['bogus'], 'Unknown command "bogus"', 'Run `entire --help` for usage.'],
  [
    'a mistyped command',
    ['enble'],
    'Unknown command "enble"',
    'Did you mean `enable`? Run `entire --help` for usage.',
  ],
  [
    'a mistyped flag',
    ['status', '--jsn'],
    'Unknown flag "--jsn"',
    'Did you mean `--json`? Run `entire status --help` for usage.',
  ],
  ['an unknown letter', ['status', '-q'], 'Unknown flag "-q"', 'Run `entire status --help` for usage.'],
  ['a flag without its value', ['rewind', '--to'], '--to requires a value', 'Run `entire rewind --help`'],
  [
    'a flag given twice',
    ['rewind', '--to', 'a', '--to', 'b'],
    '--to can be given only once.',
    'Run `entire rewind --help`',
  ],
  [
    'a value that is not a number',
    ['doctor', 'trace', '--limit', '0'],
    '"0" is not a valid value for --limit',
    'Use a whole number from 1 to 100000. Run `entire doctor trace --help`',
  ],
  ['an argument too many', ['version', 'x'], 'Unexpected argument "x"', 'Run `entire version --help`'],
  ['no argument', ['agent', 'add'], 'Missing argument <agent>', 'Run `entire agent add --help`'],
] as const)('%s is wrong usage', async (_rule, args, message, hint) => {
  await using dir = tempDir()
  const { code, err } = await entire(dir, [...args])
  expect(code).toBe(2)
  expect(err).toStartWith(`error: ${message}\nhint: ${hint}`)
})
