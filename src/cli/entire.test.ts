import { expect, test } from 'bun:test'
import { cliReference } from '../../scripts/docs/cli.ts'
import { readModules, staticallyReachable } from '../../test/architecture/modules.ts'
import { entire } from '../../test/support/entire.ts'
import { tempDir, tempRepo } from '../../test/support/repo.ts'
import { version } from '../std/version.ts'
import { commandList, commandNames } from './command-list.ts'
import { buildCli } from './entire.ts'

test.each([
  ['no arguments: help', [], 0, 'COMMANDS', ''],
  ['help of a command by flag', ['enable', '--help'], 0, 'EXAMPLES', ''],
  ['help of a command by name', ['help', 'status'], 0, 'entire status [--detailed] [--json]', ''],
  ['help of hooks', ['hooks', '--help'], 0, 'Called by the hooks', ''],
  ['the version by flag', ['--version'], 0, version, ''],
  ['an unknown command is wrong usage', ['enble'], 2, '', 'Did you mean `enable`?'],
  [
    'an unknown command of a group names the help of the group',
    ['agent', 'bogus'],
    2,
    '',
    'hint: Run `entire agent --help`',
  ],
  [
    'a missing argument names the help of its command',
    ['agent', 'new'],
    2,
    '',
    'hint: Run `entire agent new --help`',
  ],
  ['so does one argument too many', ['rewind', 'extra'], 2, '', 'hint: Run `entire rewind --help`'],
  [
    'for a word unlike any command there is no suggestion',
    ['bogus'],
    2,
    '',
    'Unknown command "bogus"\nhint: Run',
  ],
  ['help of a group has examples', ['agent', '--help'], 0, 'EXAMPLES', ''],
  ['an unknown flag is wrong usage and names the help', ['status', '--jsn'], 2, '', 'entire status --help'],
  ['an unknown flag of the program is a flag', ['--bogus'], 2, '', 'Unknown flag "--bogus"\nhint: Run'],
  ['the flags of the program are in its help', ['--help'], 0, '     --version  Print the version', ''],
  ['outside a repository flags do not matter', ['rewind'], 1, '', 'error: Not a git repository.'],
  ['a failure has code 1', ['explain'], 1, '', 'error: Not a git repository.'],
] as const)('%s', async (_rule, args, code, out, err) => {
  await using dir = tempDir()
  const answer = await entire(dir, [...args])
  expect(answer.code).toBe(code)
  expect(answer.out).toContain(out)
  expect(answer.err).toContain(err)
  if (code === 0) expect(answer.err).toBe('')
  else expect(answer.out).toBe('')
})

test('control characters of the input do not reach the terminal', async () => {
  await using repo = await tempRepo()
  await entire(repo, ['enable', '--agent', 'claude-code'])
  const evil = '\x1b[31mx\x1b]0;t\x07'
  for (const args of [
    [evil],
    ['status', `--${evil}`],
    ['enable', '--agent', evil],
    ['enable', '--strategy', evil],
    ['enable', '--checkpoint-remote', evil],
    ['configure', evil],
    ['configure', 'strategy', evil],
    ['agent', 'remove', evil],
    ['agent', evil],
  ]) {
    const { code, out, err } = await entire(repo, args)
    expect({ args, failed: code !== 0, out }).toEqual({ args, failed: true, out: '' })
    expect(err).not.toContain('\x1b')
  }
})

test('names of commands in other versions are understood', async () => {
  await using dir = tempDir()
  for (const [words, known] of [
    [['sessions'], ['session']],
    [
      ['agents', 'list'],
      ['agent', 'list'],
    ],
    [['config'], ['configure']],
    [['attach'], ['session', 'attach']],
    [['trace'], ['doctor', 'trace']],
    [
      ['help', 'agents', 'add'],
      ['agent', 'add'],
    ],
  ] as const)
    expect(await entire(dir, [...words, '--help'])).toEqual(await entire(dir, [...known, '--help']))
})

test('the list of commands repeats the brief of each command', async () => {
  for (const name of commandNames)
    expect((await commandList[name].load()).brief).toBe(commandList[name].brief)
})

test('help and version load no command', () => {
  const modules = readModules(['src'])
  for (const start of [
    'src/cli/entire.ts',
    'src/cli/root-help.ts',
    'src/cli/command-plugins.ts',
    'src/cli/version.ts',
  ]) {
    const loaded = staticallyReachable(modules, start).map((module) => module.path)
    expect(loaded).toContain(start)
    expect(
      loaded.filter((path) =>
        /^src\/(?!bin|cli|git|model|std)\w+\/|^src\/cli\/(?!render)[\w-]+\//.test(path),
      ),
    ).toEqual([])
  }
})

test('the version is available to scripts', async () => {
  await using dir = tempDir()
  const { out } = await entire(dir, ['version', '--json'])
  expect(JSON.parse(out)).toMatchObject({ version })
})

test('every command has a manual with examples', async () => {
  const page = cliReference(await buildCli())
  const commands = page.match(/^## entire .+$/gm) ?? []
  expect(commands.length).toBeGreaterThanOrEqual(7)
  expect(page.match(/^EXAMPLES$/gm)?.length).toBe(commands.length)
})

test('piped output has no colours, and a broken settings file is named', async () => {
  await using repo = await tempRepo()
  repo.write('.entire/settings.json', '{ "enabled": tru')
  const answer = await entire(repo, ['status'], { env: { TERM: 'xterm-256color' } })
  expect(answer).toEqual({
    code: 0,
    out: expect.stringMatching(/^Enabled \(manual-commit\)\n/),
    err: 'Warning: .entire/settings.json is not a JSON object. Repair the file, or remove it and run `entire enable`. Until then the default is used, and no checkpoint is pushed.\n',
  })
})
