// Uses the sample plugins as a person would: installs, enables, records, commits and resumes.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { play, type Script } from '../../samples/agents/demo/agent.ts'
import { sessionDir, sessionFile } from '../../samples/agents/demo/session-log.ts'
import { type ExternalRepo, repoWithPlugins } from '../support/external-repo.ts'
import { buildPlugin } from '../support/plugin-build.ts'
import { otherMachine, pushAll } from '../support/resumable.ts'

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
  expect(resumed).toMatchObject({
    code: 0,
    err: expect.stringContaining(`demo-agent --resume ${script.session}`),
  })
  expect(readFileSync(repo.logFile, 'utf8')).toBe(before)
})

test('the command that resume prints continues the session, and the next commit has its work', async () => {
  await using repo = await demoRepo()
  await buildPlugin(join(samples, 'demo/demo-agent.ts'), repo.bin, 'bun')
  mkdirSync(join(repo.base, 'home/.demo-agent'), { recursive: true })
  writeFileSync(join(repo.base, 'home/.demo-agent/script.json'), JSON.stringify(script))
  repo.play({ ...script, turns: script.turns.slice(0, 1) })
  await repo.commitAs('human', 'a greeting', 'greeting.txt')
  rmSync(repo.logFile)
  const [resumed] = JSON.parse((await repo.entire(['resume', '--json'])).out).sessions as {
    command: string
  }[]
  expect((await repo.run(['sh', '-c', resumed?.command ?? ''])).code).toBe(0)
  await repo.commitAs('human', 'a friendlier one', 'greeting.txt', 'notes.txt')
  expect(await repo.stored(await repo.checkpointOf(), '0/prompt.txt')).toContain('Make it friendlier')
})

test('a commit that the demo agent makes in the middle of a turn gets a checkpoint, which is completed when the turn ends', async () => {
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

test('a rewind restores the files and the conversation of the demo agent', async () => {
  await using repo = await demoRepo()
  repo.play(script)
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    id: string
    message: string
  }[]
  const first = points.find(({ message }) => message === 'Write a greeting.')
  expect(await repo.entire(['rewind', '--to', first?.id ?? ''])).toMatchObject({ code: 0 })
  expect(repo.read('greeting.txt')).toBe('Hello, world!\n')
  expect(readFileSync(repo.logFile, 'utf8')).not.toContain('friendlier')
})

test('the sample passes the conformance check', async () => {
  await using repo = await demoRepo()
  const { code, out } = await repo.entire([
    'agent',
    'check',
    'demo',
    '--fixtures',
    join(samples, 'demo/fixtures.json'),
    '--json',
  ])
  expect({ code, conformant: JSON.parse(out).conformant }).toEqual({ code: 0, conformant: true })
})

// Its sessions are Markdown, which grows by lines but is not JSON.
test('an agent whose plugin is a shell script is recorded from its first turn to a session resumed on another machine', async () => {
  await using repo = await repoWithPlugins()
  cpSync(join(samples, 'notes-sh/entire-agent-notes'), join(repo.bin, 'entire-agent-notes'))
  expect(await repo.entire(['enable', '--agent', 'notes'])).toMatchObject({ code: 0 })
  await repo.commitAs('human', 'begin')
  await repo.git('switch', '--quiet', '-c', 'feature')
  const dir = (home: string, root: string) =>
    join(home, '.notes/sessions', root.replace(/[^A-Za-z0-9]/g, '-'))
  const log = join(dir(join(repo.base, 'home'), repo.root), 'monday.md')
  mkdirSync(dirname(log), { recursive: true })
  const installed = JSON.parse(repo.read('.notes/hooks.json')) as Record<string, string>
  const hook = async (name: string, more: object = {}) => {
    const stdin = JSON.stringify({ session_id: 'monday', transcript_path: log, ...more })
    expect((await repo.run(['sh', '-c', installed[name] ?? ''], { stdin })).code).toBe(0)
  }
  const turn = async (prompt: string, text: string) => {
    await hook('prompt', { prompt })
    repo.write('poem.txt', text)
    appendFileSync(log, `> ${prompt}\n* poem.txt\nHere you are.\n\n`)
    await hook('stop')
  }
  await hook('session-start')
  await turn('Write a poem', 'Roses are red\n')
  const first = readFileSync(log, 'utf8')
  await turn('Make it sad', 'Roses are dead\n')
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    id: string
    message: string
  }[]
  expect(
    await repo.entire(['rewind', '--to', points.find(({ message }) => message === 'Write a poem')?.id ?? '']),
  ).toMatchObject({
    code: 0,
  })
  expect([repo.read('poem.txt'), readFileSync(log, 'utf8')]).toEqual(['Roses are red\n', first])
  await hook('session-end')

  await repo.commitAs('human', 'a poem', 'poem.txt')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({ agent: 'Notes', files_touched: ['poem.txt'] })
  const explained = await repo.entire(['explain', '-c', id])
  expect(explained.out).toContain('Agent: Notes')
  expect(explained.out).toContain('Intent: Write a poem')

  await repo.git('branch', '--quiet', '--force', 'main')
  const machine = await otherMachine(repo, await pushAll(repo), '--branch', 'feature')
  expect(await machine.entire('enable', '--agent', 'notes')).toMatchObject({ code: 0 })
  expect(await machine.entire('resume')).toMatchObject({
    code: 0,
    err: expect.stringContaining('notes --resume monday'),
  })
  expect(readFileSync(join(dir(machine.home, machine.root), 'monday.md'), 'utf8')).toBe(first)
})
