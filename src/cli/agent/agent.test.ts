import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { entire } from '../../../test/support/entire.ts'
import { tempDir, tempRepo } from '../../../test/support/repo.ts'

test('the list shows all agents, and which are used and recorded here', async () => {
  await using repo = await tempRepo()
  repo.write('.gemini/settings.json', '{}')
  await entire(repo, ['enable', '--agent', 'claude-code'])
  const { out } = await entire(repo, ['agent', 'list'])
  expect(out).toMatch(/^NAME +AGENT +HOOKS\n/)
  expect(out).toMatch(/^claude-code +Claude Code +installed$/m)
  expect(out).toMatch(/^gemini +Gemini CLI +detected$/m)
  expect(JSON.parse((await entire(repo, ['agent', 'list', '--json'])).out).slice(0, 2)).toMatchObject([
    {
      name: 'claude-code',
      type: 'Claude Code',
      detected: true,
      installed: true,
      current: true,
      config: '.claude/settings.json',
    },
    {
      name: 'gemini',
      type: 'Gemini CLI',
      detected: true,
      installed: false,
      current: false,
      config: '.gemini/settings.json',
    },
  ])
  const { hooks, ...rest } = JSON.parse(repo.read('.claude/settings.json'))
  delete hooks.Stop
  repo.write('.claude/settings.json', JSON.stringify({ hooks, ...rest }))
  expect((await entire(repo, ['agents', 'list'])).out).toMatch(/^claude-code +Claude Code +out of date$/m)
})

test('outside of a repository the list has only names', async () => {
  await using dir = tempDir()
  expect((await entire(dir, ['agent', 'list'])).out).toMatch(/^claude-code +Claude Code +-$/m)
})

test('adding and removing restores every byte of the agent’s file, and changes no other', async () => {
  await using repo = await tempRepo()
  const before = '{ "theme":"dark",\n\t// mine\n"hooks":{} }'
  repo.write('.gemini/settings.json', before)
  await entire(repo, ['enable', '--agent', 'claude-code'])
  const claude = repo.read('.claude/settings.json')
  const added = await entire(repo, ['agent', 'add', 'gemini'])
  expect(added.out).toBe(
    "Agent: Gemini CLI\nInstalled 12 hooks for Gemini CLI - Google's AI coding assistant\n",
  )
  expect((await entire(repo, ['agent', 'add', 'gemini'])).out).toContain('already installed')
  expect(repo.read('.gemini/settings.json')).toContain('entire hooks gemini')
  expect(await entire(repo, ['agent', 'remove', 'gemini'])).toEqual({
    code: 0,
    out: "Removed hooks for Gemini CLI - Google's AI coding assistant\n",
    err: '',
  })
  expect(repo.read('.gemini/settings.json')).toBe(before)
  expect((await entire(repo, ['agent', 'remove', 'gemini'])).out).toContain('are not installed')
  expect(repo.read('.claude/settings.json')).toBe(claude)
})

test('removing the last agent warns that nothing is recorded', async () => {
  await using repo = await tempRepo()
  await entire(repo, ['enable', '--agent', 'claude-code'])
  expect((await entire(repo, ['agent', 'remove', 'claude-code'])).err).toContain(
    'No agent is left, so nothing is recorded.',
  )
  expect(existsSync(join(repo.root, '.claude'))).toBe(false)
})

test('adding says when recording is off or not set up', async () => {
  await using repo = await tempRepo()
  expect(await entire(repo, ['agent', 'add', 'gemini', 'claude-code'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('hint: Run `entire enable --agent gemini,claude-code`.'),
  })
  expect(existsSync(join(repo.root, '.gemini'))).toBe(false)
  await entire(repo, ['enable', '--agent', 'claude-code'])
  await entire(repo, ['disable'])
  expect((await entire(repo, ['agent', 'add', 'gemini'])).err).toContain('Entire is disabled here.')
})

test.each([
  [['add'], 2, 'Missing argument <agent>'],
  [['add', 'claude-code', 'clippy'], 1, 'Unknown agent "clippy"\nhint: Use one of: claude-code, gemini'],
  [['add', 'clippy'], 1, 'To add it, put a plugin entire-agent-clippy on the PATH.\n'],
  [['remove', 'clippy'], 1, 'Unknown agent "clippy"\nhint: Use one of: gemini.\n'],
  [['remove', 'gemni'], 1, 'hint: Use one of: gemini. Did you mean gemini?\n'],
  [['lst'], 2, 'Did you mean `list`?'],
] as const)('wrong names change nothing: %j', async (args, code, message) => {
  await using repo = await tempRepo()
  await entire(repo, ['enable', '--agent', 'gemini'])
  expect(await entire(repo, ['agent', ...args])).toMatchObject({
    code,
    err: expect.stringContaining(message),
  })
  expect(existsSync(join(repo.root, '.claude'))).toBe(false)
})
