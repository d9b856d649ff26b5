// Checks that every sample passes every rule of the protocol with its fixtures, on Node and on Bun.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkAgent } from '../../src/sdk/conformance/agent/check-agent.ts'
import { readAgentFixtures } from '../../src/sdk/conformance/agent/fixtures.ts'
import { formatResult } from '../../src/sdk/conformance/report.ts'
import { buildPlugin } from '../../test/support/plugin-build.ts'
import { rotatingRows, rotationTitle } from '../../test/support/rotation.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'samples-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const here = (path: string) => join(import.meta.dir, path)
const built = (path: string, runtime: 'node' | 'bun') => () =>
  buildPlugin(here(path), mkdtempSync(join(dir, 'built-')), runtime)

// Each rule starts the plugin several times.
test.each(
  rotatingRows([
    ['demo, on Node', 'demo', built('demo/entire-agent-demo.ts', 'node')],
    ['demo, on Bun', 'demo', built('demo/entire-agent-demo.ts', 'bun')],
    ['qwen, on Node', 'qwen', built('qwen/entire-agent-qwen.ts', 'node')],
    ['notes, in sh', 'notes-sh', async () => here('notes-sh/entire-agent-notes')],
  ] as const),
)(`the sample %s speaks the protocol (${rotationTitle})`, async (_title, folder, make) => {
  const results = await checkAgent(await make(), {
    env: { PATH: process.env.PATH },
    fixtures: readAgentFixtures(here(`${folder}/fixtures.json`)),
  })
  expect(results.filter(({ failure }) => failure !== undefined).flatMap(formatResult)).toEqual([])
  expect(results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(55)
})
