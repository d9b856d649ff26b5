// Tests what `entire enable` writes into the settings of agents: all required hooks, next to everything that
// was there.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, recordedRepo } from '../support/recorded-repo.ts'
import { type TempRepo, tempRepo } from '../support/repo.ts'

interface Hook {
  event: string
  matcher: string
  verb: string
}

const agents = {
  'claude-code': {
    file: '.claude/settings.json',
    hooks: [
      ['SessionStart', '', 'session-start'],
      ['SessionEnd', '', 'session-end'],
      ['Stop', '', 'stop'],
      ['UserPromptSubmit', '', 'user-prompt-submit'],
      ['PreToolUse', 'Task', 'pre-task'],
      ['PostToolUse', 'Task', 'post-task'],
      ['PostToolUse', 'TodoWrite', 'post-todo'],
    ],
  },
  gemini: {
    file: '.gemini/settings.json',
    hooks: [
      ['SessionStart', '', 'session-start'],
      ['SessionEnd', 'exit', 'session-end'],
      ['SessionEnd', 'logout', 'session-end'],
      ['BeforeAgent', '', 'before-agent'],
      ['AfterAgent', '', 'after-agent'],
      ['BeforeModel', '', 'before-model'],
      ['AfterModel', '', 'after-model'],
      ['BeforeToolSelection', '', 'before-tool-selection'],
      ['BeforeTool', '*', 'before-tool'],
      ['AfterTool', '*', 'after-tool'],
      ['PreCompress', '', 'pre-compress'],
      ['Notification', '', 'notification'],
    ],
  },
} as const
const names = ['claude-code', 'gemini'] as const

const run = async (repo: TempRepo, ...args: string[]) => {
  const { code, stdout, stderr } = await repo.run([binary, ...args])
  return { code, out: stdout.toString('utf8'), err: stderr }
}

type Groups = Record<string, { matcher?: string; hooks: { command: string }[] }[]>

function ours(repo: TempRepo, name: (typeof names)[number]): Hook[] {
  const { hooks } = JSON.parse(repo.read(agents[name].file)) as { hooks: Groups }
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap(({ matcher = '', hooks: list }) =>
      list.flatMap(({ command }) => {
        const verb = new RegExp(`entire hooks ${name} ([a-z-]+)`).exec(command)?.[1]
        return verb === undefined ? [] : [{ event, matcher, verb }]
      }),
    ),
  )
}

test.each(names)('%s: all required hooks are added, once, however often it is enabled', async (name) => {
  await using repo = await tempRepo()
  const first = await run(repo, 'enable', '--agent', name)
  const wanted = agents[name].hooks.map(([event, matcher, verb]) => ({ event, matcher, verb }))
  expect(ours(repo, name)).toEqual(expect.arrayContaining(wanted))
  expect(first.out).toContain(`Installed ${ours(repo, name).length} hooks for `)
  const before = repo.read(agents[name].file)
  expect((await run(repo, 'enable', '--agent', name)).out).toContain('already installed')
  expect(repo.read(agents[name].file)).toBe(before)
})

test('Claude Code may not read its own recordings, and hooks are switched on in Gemini CLI', async () => {
  await using repo = await tempRepo()
  await run(repo, 'enable', '--agent', 'claude-code,gemini')
  expect(JSON.parse(repo.read('.claude/settings.json')).permissions.deny).toEqual([
    'Read(./.entire/metadata/**)',
  ])
  expect(JSON.parse(repo.read('.gemini/settings.json')).hooksConfig).toEqual({ enabled: true })
})

test.each(names)('%s: existing settings and hooks stay', async (name) => {
  await using repo = await tempRepo()
  const theirs = { matcher: 'Bash', hooks: [{ type: 'command', command: 'echo mine' }] }
  const before = JSON.stringify(
    { model: 'x', permissions: { allow: ['Bash(ls)'] }, hooks: { SessionStart: [theirs], Other: [theirs] } },
    null,
    4,
  )
  repo.write(agents[name].file, before)
  await run(repo, 'enable', '--agent', name)
  const after = JSON.parse(repo.read(agents[name].file))
  expect(after).toMatchObject({ model: 'x', permissions: { allow: ['Bash(ls)'] } })
  expect(after.hooks.SessionStart).toContainEqual(theirs)
  expect(after.hooks.Other).toEqual([theirs])
  await run(repo, 'agent', 'remove', name)
  expect(repo.read(agents[name].file)).toBe(before)
})

test.each([
  ['nothing: the default', [], ['claude-code']],
  ['one', ['.gemini'], ['gemini']],
  ['both', ['.gemini', '.claude'], ['claude-code', 'gemini']],
])('agents are detected by their directories: %s', async (_rule, dirs, expected) => {
  await using repo = await tempRepo()
  for (const dir of dirs) repo.write(`${dir}/keep`, '')
  await run(repo, 'enable')
  expect(names.filter((name) => existsSync(join(repo.root, agents[name].file)))).toEqual(expected as never)
})

test.each([[['rewind', '--list']], [['resume', 'main']], [['explain']]])(
  'when recording is disabled, the command says so: %j',
  async (args) => {
    await using repo = await recordedRepo()
    await fakeAgent(repo).turn('write a', { 'a.ts': 'export const a = 1\n' })
    await repo.entire(['disable'])
    expect(await repo.entire(args)).toMatchObject({
      code: 0,
      out: 'Entire is disabled. Run `entire enable` to re-enable.\n',
    })
    expect((await repo.entire(['status'])).out).toStartWith('Disabled (manual-commit)')
  },
)
