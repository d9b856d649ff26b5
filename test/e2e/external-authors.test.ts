// Tests `entire agent new` and `entire agent check`.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repoWithPlugins } from '../support/external-repo.ts'
import { on } from '../support/plugin-defects.ts'
import { writePlugin } from '../support/sh-plugin.ts'

setDefaultTimeout(120_000)

test('a new plugin is written, passes the check, and is not overwritten', async () => {
  await using repo = await repoWithPlugins()
  const dir = join(repo.base, 'mine')
  const made = await repo.entire(['agent', 'new', 'mine', '--lang', 'sh', '--dir', dir])
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining('entire-agent-mine') })
  const checked = await repo.entire(['agent', 'check', join(dir, 'entire-agent-mine')])
  expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('Speaks the protocol') })
  expect(await repo.entire(['agent', 'new', 'mine', '--lang', 'sh', '--dir', dir])).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not empty'),
  })
})

test('a plugin that breaks a rule fails the check, which says what was expected and what it got', async () => {
  await using repo = await repoWithPlugins()
  const path = writePlugin(repo.bin, 'sample', on('detect', 'echo yes; exit 0'))
  const { code, out } = await repo.entire(['agent', 'check', path])
  expect(code).toBe(1)
  expect(out).toMatch(/FAIL detect\/answers[^\n]*\n +expected: [^\n]+\n +received: [^\n]+\n +fix: /)
  // No other rule is tried without an answer to `info`.
  const silent = writePlugin(repo.bin, 'silent', 'exit 1')
  const junit = await repo.entire(['agent', 'check', silent, '--junit'])
  expect(junit).toMatchObject({ code: 1, out: expect.stringMatching(/^<\?xml/) })
})

test('a plugin in TypeScript carries its kit along and depends on nothing', async () => {
  await using repo = await repoWithPlugins()
  const dir = join(repo.base, 'mine')
  expect(await repo.entire(['agent', 'new', 'mine', '--dir', dir])).toMatchObject({ code: 0 })
  const { dependencies } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
  expect(dependencies).toBeUndefined()
  expect(existsSync(join(dir, 'src/kit.mts'))).toBeTrue()
})

test('a plugin with the name of a built-in agent may pass, with a note that it would not be used', async () => {
  await using repo = await repoWithPlugins()
  const { code, err } = await repo.entire(['agent', 'check', writePlugin(repo.bin, 'gemini')])
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining('the name of the built-in Gemini CLI'),
  })
})

test.each([
  [['new', 'mine', '--lang', 'cobol'], 2, '"cobol" is not a valid value for --lang'],
  [['new', '../evil'], 2, 'is not a valid value for the name of an agent'],
  [['new', 'gemini'], 2, 'the name of the built-in Gemini CLI'],
  [['check', 'nobody'], 1, 'executable not found: nobody'],
  [['check', 'x', '--json', '--junit'], 2, '--json and --junit cannot be used together'],
] as const)('entire agent %j is refused', async (args, code, message) => {
  await using repo = await repoWithPlugins()
  expect(await repo.entire(['agent', ...args])).toMatchObject({ code, err: expect.stringContaining(message) })
})
