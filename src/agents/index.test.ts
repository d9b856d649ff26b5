import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agents, defaultAgent, findAgent, findAgentByType } from './index.ts'

const root = mkdtempSync(join(tmpdir(), 'entire-agents-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('an agent is found by the name in its hooks and by the type in checkpoints', () => {
  for (const agent of agents) {
    expect(findAgent(agent.name)).toBe(agent)
    expect(findAgentByType(agent.type)).toBe(agent)
  }
  expect([findAgent('claude-code')?.type, findAgent('gemini')?.type]).toEqual(['Claude Code', 'Gemini CLI'])
  expect([findAgent('Agent'), findAgentByType('Agent')]).toEqual([undefined, undefined])
  expect(defaultAgent.name).toBe('claude-code')
})

test('an agent is present where its directory is', () => {
  expect(agents.filter((agent) => agent.detect(root))).toEqual([])
  mkdirSync(join(root, '.gemini'))
  expect(agents.filter((agent) => agent.detect(root)).map((agent) => agent.name)).toEqual(['gemini'])
})

test('the hook path does not load the editor of settings files', () => {
  const script = `await import(${JSON.stringify(join(import.meta.dir, 'index.ts'))}); console.log(Object.keys(require.cache).filter((file) => /jsonc-parser|installer\\.ts$|install\\.ts$/.test(file)).map((file) => file.split('/').at(-1)).join())`
  const result = Bun.spawnSync([process.execPath, '-e', script])
  expect(result.stdout.toString().trim()).toBe('lazy-installer.ts')
})
