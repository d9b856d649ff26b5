// Checks the page for authors of plugins: its plugin passes every rule, and its fixtures hold.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { agentRules, checkAgent } from '../src/sdk/conformance/agent/check-agent.ts'
import { readAgentFixtures } from '../src/sdk/conformance/agent/fixtures.ts'
import { formatResult } from '../src/sdk/conformance/report.ts'
import { scaffoldAgent } from '../src/sdk/scaffold/scaffold-agent.ts'
import { run } from '../src/std/process.ts'
import { compileProject, installTypes } from './support/install-package.ts'

const page = readFileSync(join(import.meta.dir, '../docs/write-an-agent-plugin.md'), 'utf8')
const block = (name: string) =>
  new RegExp(`<!-- tested: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1] ?? ''

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'author-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('the plugin of the page replaces the one of the template: it passes every rule, and its fixtures hold', async () => {
  for (const { path, content, executable } of scaffoldAgent('owl', 'ts')) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), content, { mode: executable ? 0o755 : 0o644 })
  }
  writeFileSync(join(dir, 'src', 'agent.mts'), block('plugin'))
  writeFileSync(join(dir, 'fixtures.json'), block('fixtures'))
  installTypes(dir)
  await compileProject(dir)
  const own = await run(['node', '--test', 'test/'], { cwd: dir, env: process.env })
  expect(own.code === 0 ? '' : own.stdout.toString()).toBe('')
  const fixtures = readAgentFixtures(join(dir, 'fixtures.json'))
  const results = await checkAgent(join(dir, 'entire-agent-owl'), {
    env: { PATH: process.env.PATH },
    fixtures,
  })
  expect(results.filter(({ failure }) => failure !== undefined).flatMap(formatResult)).toEqual([])
  expect(results.filter(({ id, status }) => id.startsWith('fixtures/') && status === 'passed').length).toBe(7)
})

test('the page does not promise more rules than there are', () => {
  expect(agentRules.length).toBeGreaterThan(60)
  expect(page).toContain('more than sixty rules')
})
