// The page for authors of plugins is true: its plugin speaks the protocol, and understands its fixtures.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkAgent, rules } from '../src/sdk/conformance/check-agent.ts'
import { readFixtures } from '../src/sdk/conformance/fixtures.ts'
import { formatResult } from '../src/sdk/conformance/report.ts'
import { buildPlugin } from './support/plugin-build.ts'

const page = readFileSync(join(import.meta.dir, '../docs/write-an-agent-plugin.md'), 'utf8')
const block = (name: string) => new RegExp(`<!-- tested: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1] ?? ''

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'author-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('the plugin of the page keeps every rule, and its fixtures hold', async () => {
  const sdk = join(import.meta.dir, '../src/sdk/agent.ts')
  writeFileSync(join(dir, 'entire-agent-owl.ts'), block('plugin').replace("'entire-ts/agent-sdk'", JSON.stringify(sdk)))
  writeFileSync(join(dir, 'fixtures.json'), block('fixtures'))
  const plugin = await buildPlugin(join(dir, 'entire-agent-owl.ts'), dir)
  const results = await checkAgent(plugin, { env: { PATH: process.env.PATH }, fixtures: readFixtures(join(dir, 'fixtures.json')) })
  expect(results.filter(({ failure }) => failure !== undefined).flatMap(formatResult)).toEqual([])
  expect(results.filter(({ id, status }) => id.startsWith('fixtures/') && status === 'passed').length).toBe(7)
})

test('the page does not promise more rules than there are', () => {
  expect(rules.length).toBeGreaterThan(60)
  expect(page).toContain('more than sixty rules')
})
