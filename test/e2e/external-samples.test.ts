// The sample plugins that are built with the kit, used as a person would: installed on the PATH, enabled, recorded, committed, resumed.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { play, type Script } from '../../samples/agents/demo/agent.ts'
import { sessionDir, sessionFile } from '../../samples/agents/demo/session-log.ts'
import { type ExternalRepo, repoWithPlugins } from '../support/external-repo.ts'
import { buildPlugin } from '../support/plugin-build.ts'

setDefaultTimeout(60_000)

const samples = resolve(import.meta.dir, '../../samples/agents')
const script = JSON.parse(readFileSync(join(samples, 'demo/script.json'), 'utf8')) as Script

async function demoRepo(): Promise<ExternalRepo & { logFile: string; play(script: Script): void }> {
  const repo = await repoWithPlugins()
  await buildPlugin(join(samples, 'demo/entire-agent-demo.ts'), repo.bin, 'bun')
  repo.write('notes.txt', 'old\n')
  await repo.commitAs('human', 'begin')
  const enabled = await repo.entire(['enable', '--agent', 'demo'])
  if (enabled.code !== 0) throw new Error(enabled.err)
  const home = join(repo.base, 'home')
  return {
    ...repo,
    logFile: sessionFile(sessionDir(home, repo.root), script.session),
    play: (turns) => play(turns, { root: repo.root, home, env: repo.env as NodeJS.ProcessEnv }),
  }
}

test('the demo agent is recorded from its first turn to a resumed session', async () => {
  await using repo = await demoRepo()
  repo.play(script)
  await repo.commitAs('human', 'a greeting', 'greeting.txt', 'notes.txt')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    agent: 'Demo Agent',
    files_touched: ['greeting.txt', 'notes.txt'],
    token_usage: { input_tokens: 1300, cache_read_tokens: 1400, output_tokens: 100 },
  })
  const explained = await repo.entire(['explain', '-c', id, '--full'])
  expect(explained.out).toContain('Write a greeting.')
  expect(explained.out).toContain('The greeting is friendlier now')
  const before = readFileSync(repo.logFile, 'utf8')
  rmSync(repo.logFile)
  const resumed = await repo.entire(['resume'])
  expect(resumed).toMatchObject({ code: 0, err: expect.stringContaining(`demo-agent --resume ${script.session}`) })
  expect(readFileSync(repo.logFile, 'utf8')).toBe(before)
})

test('a commit that the demo agent makes itself in the middle of a turn has its checkpoint, completed when the turn ends', async () => {
  await using repo = await demoRepo()
  const [turn] = script.turns
  if (turn === undefined) throw new Error('the script has no turns')
  const run = [
    ['git', 'add', 'greeting.txt'],
    ['git', 'commit', '--quiet', '-m', 'by the agent'],
  ]
  repo.play({ ...script, turns: [{ ...turn, run }] })
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({ agent: 'Demo Agent', files_touched: ['greeting.txt'] })
  expect(await repo.transcript(id)).toContain('"kind":"answer"')
})

test('a rewind brings the files of the demo agent back, and its conversation', async () => {
  await using repo = await demoRepo()
  repo.play(script)
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as { id: string; message: string }[]
  const first = points.find(({ message }) => message === 'Write a greeting.')
  expect(await repo.entire(['rewind', '--to', first?.id ?? ''])).toMatchObject({ code: 0 })
  expect(repo.read('greeting.txt')).toBe('Hello, world!\n')
  expect(readFileSync(repo.logFile, 'utf8')).not.toContain('friendlier')
})

test('the kit says that the sample speaks the protocol', async () => {
  await using repo = await demoRepo()
  const { code, out } = await repo.entire(['agent', 'check', 'demo', '--fixtures', join(samples, 'demo/fixtures.json'), '--json'])
  expect({ code, conformant: JSON.parse(out).conformant }).toEqual({ code: 0, conformant: true })
})
