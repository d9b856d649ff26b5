// Clones projects with random combinations of hostile settings, links and files: nothing is written outside of
// the clone, and nothing that it brings runs.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { staysInside } from '../../src/std/inside.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { evil } from '../support/hostile-repo.ts'
import { faultsOf, knownSession, makeOutside, readOutside } from '../support/outside.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rotatingRuns, rotationTitle, timeLimit } from '../support/rotation.ts'
import { counted, type Trials } from '../support/trials.ts'

setDefaultTimeout(timeLimit(120_000))

const strange = fc.constantFrom<unknown>(
  ...[
    'vendor/evil.git',
    'cache.git',
    '../outside',
    '/',
    '~',
    '--upload-pack=touch ran',
    'ext::sh -c touch% ran',
  ],
  ...[
    'file:///vendor/evil.git',
    '$(touch ran)',
    '`touch ran`',
    '; touch ran',
    evil('x'),
    '',
    'a\nb',
    '(a+)+$',
  ],
  ...[null, true, 0, -1, 1e308, [], {}, { url: 'vendor/evil.git' }, { url: 'ext::touch ran' }, [['x']]],
)

const settings = fc.record(
  {
    enabled: fc.constantFrom<unknown>(true, true, true, false, 'yes'),
    strategy: fc.constantFrom('manual-commit', 'auto-commit', '../evil'),
    strategy_options: fc.record(
      { push_sessions: fc.boolean(), checkpoint_push_remote: strange, checkpoint_remote: strange },
      { requiredKeys: [] },
    ),
    checkpoints: fc.record({ primary: fc.record({ type: strange }) }),
    external_agents: fc.constantFrom<unknown>(true, ['evil'], 'evil'),
    absolute_git_hook_path: fc.boolean(),
    summary_generation: fc.record({ provider: strange, model: strange }, { requiredKeys: [] }),
    summary_timeout_seconds: strange,
    log_level: strange,
    commit_linking: strange,
    redaction: fc.constantFrom<unknown>(
      { rules: [{ name: 'x', pattern: '(a+)+$' }] },
      { custom: [{ pattern: '(' }] },
      evil('x'),
    ),
    unknown: strange,
  },
  { requiredKeys: [] },
)
const settingsText = fc.oneof(
  { weight: 6, arbitrary: settings.map((value) => JSON.stringify(value)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{',
      '[]',
      'null',
      '\ufeff{}',
      '\0',
      `${'['.repeat(50_000)}`,
      '{"enabled":true}'.repeat(2),
    ),
  },
)

/** A path of the clone that is a link, and where it leads, below the files of the user. */
const links: [path: string, target: string][] = [
  ['.entire', '.'],
  ['.entire/logs', 'logs'],
  ['.entire/logs/entire.log', '.bashrc'],
  ['.entire/tmp', 'tmp'],
  ['.entire/metadata', 'metadata'],
  [`.entire/metadata/${knownSession}`, knownSession],
  ['.entire/settings.json', 'settings.json'],
  ['.entire/settings.local.json', 'settings.local.json'],
  ['.entire/.gitignore', '.gitignore'],
  ['.claude', '.'],
  ['.claude/settings.json', 'settings.json'],
  ['.gemini', '.'],
  ['.codex', '.'],
  ['.github', '.'],
  ['.cursor/hooks.json', 'settings.json'],
  ['.factory', '.'],
  ['.opencode', '.'],
  ['.pi', '.'],
  ['.pi/extensions', 'tmp'],
  ['.gitignore', '.gitignore'],
  ['.gitattributes', '.bashrc'],
  ['src', '.'],
  ['a.txt', 'a.txt'],
]

const program = (trace: string) => `#!/bin/sh\ntouch '${trace}'\n`
const programs = [
  'claude',
  'gemini',
  'codex',
  'opencode',
  'cursor-agent',
  'entire-agent-evil',
  'entire-evil',
  'less',
]

/** Other things that a clone can bring. */
const oddities: Record<string, (repo: RecordedRepo, trace: string) => Promise<void> | void> = {
  programs(repo, trace) {
    for (const dir of ['', 'bin/', 'node_modules/.bin/'])
      for (const name of programs) repo.write(`${dir}${name}`, program(trace), 0o755)
  },
  async 'a repository with hooks'(repo, trace) {
    for (const dir of ['vendor/evil.git', 'cache.git']) {
      await repo.git('init', '--quiet', '--bare', dir)
      for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction'])
        repo.write(`${dir}/hooks/${hook}`, program(trace), 0o755)
      repo.write(
        `${dir}/config`,
        `[core]\n\tbare = true\n\tfsmonitor = "touch '${trace}'"\n\tsshCommand = "touch '${trace}'"\n`,
      )
    }
  },
  'hooks of other tools'(repo, trace) {
    for (const path of [
      '.husky/post-commit',
      '.githooks/post-commit',
      'hooks/post-commit',
      '.claude/hooks/x',
    ])
      repo.write(path, program(trace), 0o755)
    repo.write('.claude/settings.local.json', JSON.stringify({ apiKeyHelper: `touch '${trace}'` }))
  },
  attributes(repo) {
    repo.write('.gitattributes', '* filter=evil diff=evil merge=evil textconv=evil ident\n')
    repo.write(
      '.gitmodules',
      `[submodule "x"]\n\tpath = sub\n\turl = ext::touch% ran\n\tupdate = !touch ran\n`,
    )
  },
  names(repo) {
    for (const name of [
      evil('name').replace('\r', ''),
      'two\nlines',
      '-rf',
      '--output=ran',
      '$(touch ran)',
      'a "b"',
    ])
      repo.write(`odd/${name}`, 'x\n')
    repo.write(`deep/${'d/'.repeat(60)}x`, 'x\n')
    repo.write('n'.repeat(250), 'x\n')
  },
  'a directory in place of the settings'(repo) {
    rmSync(join(repo.root, '.entire'), { recursive: true, force: true })
    repo.write('.entire/settings.json/x', 'x\n')
  },
  'a file in place of .entire'(repo) {
    rmSync(join(repo.root, '.entire'), { recursive: true, force: true })
    repo.write('.entire', 'x\n')
  },
  'a file in place of .claude'(repo) {
    rmSync(join(repo.root, '.claude'), { recursive: true, force: true })
    repo.write('.claude', 'x\n')
  },
  'a directory in place of the settings of the agent'(repo) {
    rmSync(join(repo.root, '.claude'), { recursive: true, force: true })
    repo.write('.claude/settings.json/x', 'x\n')
  },
  async 'a pipe'(repo) {
    await repo.run(['mkfifo', 'pipe', 'src/pipe'])
  },
}

const commands = [
  ['rewind', '--list'],
  ['undo'],
  ['redo'],
  ['diff', '--stat'],
  ['status', '--detailed'],
  ['status', '--json'],
  ['doctor', '--force'],
  ['doctor', 'logs'],
  ['explain'],
  ['explain', '--commit', 'HEAD', '--generate'],
  ['resume', 'main', '--force'],
  ['agent', 'list'],
  ['evil'],
  ['configure', 'log_level', 'debug'],
  ['configure', '--project', 'log_level', 'debug'],
  ['enable', '--agent', 'claude-code'],
  ['enable', '--agent', 'evil'],
  ['agent', 'add', 'gemini', 'codex', 'copilot-cli', 'cursor'],
  ['agent', 'add', 'factoryai-droid', 'opencode', 'pi'],
  ['clean', '--all', '--force'],
  ['disable'],
  ['disable', '--uninstall', '--force'],
]

const clone = fc.record({
  shared: settingsText,
  local: fc.option(settingsText),
  links: fc.subarray(links, { maxLength: 6 }),
  oddities: fc.subarray(Object.keys(oddities), { maxLength: 4 }),
  commands: fc.shuffledSubarray(commands, { minLength: 8 }),
  from: fc.constantFrom('', 'src', 'vendor/evil.git', 'odd'),
})
type Clone = typeof clone extends fc.Arbitrary<infer T> ? T : never

test(`nothing of a hostile clone runs, and nothing outside of it is written (${rotationTitle})`, () =>
  counted('clones', (trials) =>
    fc.assert(
      fc.asyncProperty(clone, (made) => visit(made, trials)),
      { ...rotatingRuns(10), endOnFailure: true, verbose: 1 },
    ),
  ))

async function visit(made: Clone, trials: Trials): Promise<void> {
  await using repo = await recordedRepo()
  const trace = join(repo.base, 'ran')
  const outside = makeOutside(repo)
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', `${repo.base}/origin.git`)
  await repo.git('remote', 'add', 'origin', `${repo.base}/origin.git`)
  await lay(repo, made, { trace, outside })
  // What the user's own commands write: the branch that is pushed, and what the agent says.
  const written = /^origin\.git|^home\/\.claude\/projects/
  const agent = fakeAgent(repo, { session: knownSession })
  const before = readOutside(repo, written)
  const path = ['.', 'bin', '', join(repo.root, 'node_modules/.bin'), repo.env.PATH].join(':')
  const cwd =
    staysInside(repo.root, made.from) && existsSync(join(repo.root, made.from))
      ? join(repo.root, made.from)
      : repo.root
  const expectHarmless = (act: unknown, text = '') => {
    const after = readOutside(repo, written)
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (name) => before.get(name) !== after.get(name),
    )
    // Enabling and uninstalling change the hooks of git; that is what they are for.
    const wrong = changed.filter((name) => !/\/\.git\/(?:hooks|config|info)(?:\/|$)/.test(`/${name}`))
    expect({ act, wrong, ran: existsSync(trace), faults: faultsOf(text) }).toEqual({
      act,
      wrong: [],
      ran: false,
      faults: [],
    })
  }
  for (const [verb, fields] of [
    ['session-start', { source: 'startup' }],
    ['user-prompt-submit', { prompt: 'work' }],
    ['stop', {}],
    ['user-prompt-submit', { prompt: 'more' }],
    ['stop', {}],
  ] as const) {
    trials.begin()
    if (verb === 'stop') agent.write(`by-agent-${agent.lines().length}.txt`, 'a line\n')
    if (verb === 'user-prompt-submit') agent.say('hello')
    const ran = await agent.hook(verb, fields, { cwd, env: { PATH: path } })
    expect({ verb, code: ran.code }).toEqual({ verb, code: 0 })
    expectHarmless(verb, ran.err)
  }
  for (const args of [
    ['commit', '--quiet', '-m', 'work'],
    ['push', '--quiet', 'origin', 'main'],
  ]) {
    trials.begin()
    await repo.run(['git', 'add', 'by-agent-1.txt'])
    await repo.run(['git', ...args], { env: { ...repo.env, ENTIRE_TEST_TTY: '1' } })
    expectHarmless(args)
  }
  for (const args of made.commands) {
    trials.begin()
    const ran = await repo.entire(args, { cwd, env: { PATH: path } })
    expect({ args, code: ran.code, isKnown: ran.code <= 2 }).toMatchObject({ isKnown: true })
    expectHarmless(args, ran.out + ran.err)
  }
}

async function lay(
  repo: RecordedRepo,
  made: Clone,
  { trace, outside }: { trace: string; outside: string },
): Promise<void> {
  repo.write('.entire/settings.json', made.shared)
  if (made.local !== null) repo.write('.entire/settings.local.json', made.local)
  for (const name of made.oddities) await oddities[name]?.(repo, trace)
  for (const [path, target] of made.links) {
    if (isUnderFileOrLink(repo, path)) continue
    rmSync(join(repo.root, path), { recursive: true, force: true })
    mkdirSync(dirname(join(repo.root, path)), { recursive: true })
    symlinkSync(join(outside, target), join(repo.root, path))
  }
  await repo.run(['git', '-c', 'advice.addEmbeddedRepo=false', 'add', '--force', '--all'])
  await repo.run(['git', 'commit', '--quiet', '--no-verify', '-m', 'a project'])
  expect(existsSync(trace)).toBe(false)
}

function isUnderFileOrLink(repo: RecordedRepo, path: string): boolean {
  const parts = path.split('/')
  return parts.slice(0, -1).some((_, index) => {
    const stat = lstatSync(join(repo.root, ...parts.slice(0, index + 1)), { throwIfNoEntry: false })
    return stat !== undefined && !stat.isDirectory()
  })
}
