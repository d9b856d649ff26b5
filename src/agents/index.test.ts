import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agents, defaultAgent, findAgent, findAgentByType } from './all.ts'
import { agentCards, loadAgent, loadAgentByType } from './index.ts'

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

test('hooks find the same agents, one at a time', async () => {
  expect(agentCards().map(({ name }) => name)).toEqual(agents.map(({ name }) => name))
  for (const agent of agents) {
    expect(await loadAgent(agent.name)).toBe(agent)
    expect(await loadAgentByType(agent.type)).toBe(agent)
    const card = agentCards().find(({ name }) => name === agent.name)
    expect(card).toMatchObject({ type: agent.type, callerEnv: agent.callerEnv })
    expect(card?.callerSessionEnv).toBe(agent.callerSessionEnv)
    expect(card?.borrows?.from).toBe(agent.borrowed?.from)
    expect(card?.hookFiles ?? []).toEqual(
      [agent.installer?.configPath ?? [], agent.installer?.ownPath ?? []].flat(),
    )
  }
  expect([await loadAgent('Agent'), await loadAgentByType('Agent')]).toEqual([undefined, undefined])
})

test('an agent is present where its directory is', () => {
  expect(agents.filter((agent) => agent.detect(root))).toEqual([])
  mkdirSync(join(root, '.gemini'))
  expect(agents.filter((agent) => agent.detect(root)).map((agent) => agent.name)).toEqual(['gemini'])
})

test('a hook loads only its own agent, and not the code that edits settings files', () => {
  const script = `const { loadAgent } = await import(${JSON.stringify(join(import.meta.dir, 'index.ts'))}); await loadAgent('claude-code'); console.log(JSON.stringify(Object.keys(require.cache)))`
  const loaded = JSON.parse(Bun.spawnSync([process.execPath, '-e', script]).stdout.toString()) as string[]
  expect(loaded.filter((file) => /jsonc-parser|installer\.ts$|install\.ts$/.test(file))).toEqual([])
  const folders = new Set(loaded.flatMap((file) => /src\/agents\/([^/]+)\//.exec(file)?.[1] ?? []))
  expect([...folders].sort()).toEqual(['claude-code', 'shared'])
})
