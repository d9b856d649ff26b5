// Uses an external agent like a built-in one, from its first hook to a resumed session.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  forgetCalls,
  openToAll,
  putPlugin,
  repoWithPlugins,
  repoWithSample,
  shellAgent,
} from '../support/external-repo.ts'
import { on } from '../support/plugin-defects.ts'
import { writePlugin } from '../support/sh-plugin.ts'

setDefaultTimeout(60_000)

const subcommandsOf = (calls: string[]) => calls.map((call) => call.split(' ')[0])

async function enabledRepo(defect?: string) {
  if (defect === undefined) return await repoWithSample()
  const repo = await repoWithPlugins()
  putPlugin(repo, defect)
  await repo.commitAs('human', 'begin')
  const enabled = await repo.entire(['enable', '--agent', 'sample'])
  if (enabled.code !== 0) throw new Error(enabled.err)
  return repo
}

test('naming an external agent allows external agents for this person, and says so', async () => {
  await using repo = await repoWithPlugins()
  putPlugin(repo)
  const { code, out } = await repo.entire(['enable', '--agent', 'sample'])
  expect({ code, out }).toMatchObject({
    code: 0,
    out: expect.stringContaining('External agents are now allowed here'),
  })
  expect(JSON.parse(repo.read('.entire/settings.local.json'))).toEqual({ external_agents: true })
  expect(repo.read('.entire/settings.json')).not.toContain('external_agents')
  expect(existsSync(join(repo.root, '.sample', 'hooks'))).toBe(true)
})

test('a turn becomes a step, and a commit gets a checkpoint with prompts, files, tokens and the transcript', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  expect((await agent.hook('start')).out).toContain('This conversation will be linked')
  await agent.turn('add a greeting', { 'greeting.txt': 'hello\n' })
  await agent.turn('make it louder', { 'greeting.txt': 'HELLO\n' })
  expect(await repo.subjects(repo.shadow(await repo.head()))).toEqual(
    expect.arrayContaining(['Add a greeting', 'Make it louder']),
  )
  await repo.commitAs('human', 'a greeting', 'greeting.txt')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    agent: 'Sample',
    files_touched: ['greeting.txt'],
    token_usage: { input_tokens: 200, output_tokens: 20 },
  })
  // Git shows it without its last newline.
  expect(await repo.transcript(id)).toBe(readFileSync(agent.transcript, 'utf8'))
  const explained = await repo.entire(['explain', '-c', id])
  expect(explained.out).toContain('Agent: Sample')
  expect(explained.out).toContain('Intent: add a greeting')
  expect((await repo.entire(['status'])).out).toContain('[Sample]')
  expect((await repo.entire(['doctor'])).out).toContain('No problems found')
})

test('a hook costs one process, for parse-hook, because the answer to info is cached', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  await agent.turn('one', { 'one.txt': '1\n' })
  forgetCalls(repo)
  await agent.hook('prompt', { prompt: 'two' })
  expect(subcommandsOf(agent.calls())).toEqual(['parse-hook'])
})

test('a plugin whose file has changed is asked for its info again', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  putPlugin(repo, '# a new version')
  forgetCalls(repo)
  await agent.hook('prompt', { prompt: 'one' })
  expect(subcommandsOf(agent.calls())[0]).toBe('info')
})

test('a rewind restores the conversation of the step, and keeps the one it replaces', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  await agent.turn('add a greeting', { 'greeting.txt': 'hello\n' })
  const first = readFileSync(agent.transcript, 'utf8')
  await agent.turn('make it louder', { 'greeting.txt': 'HELLO\n' })
  const second = readFileSync(agent.transcript, 'utf8')
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    id: string
    message: string
  }[]
  const point = points.find(({ message }) => message === 'Add a greeting')
  forgetCalls(repo)
  const { code, out, err } = await repo.entire(['rewind', '--to', point?.id ?? ''])
  expect({ code, err }).toMatchObject({ code: 0 })
  expect(out + err).toContain('sample --resume sample-session')
  expect(repo.read('greeting.txt')).toBe('hello\n')
  expect(readFileSync(agent.transcript, 'utf8')).toBe(first)
  expect(subcommandsOf(agent.calls())).toEqual(
    expect.arrayContaining(['write-session', 'format-resume-command']),
  )
  // A single chunk does not need to be joined.
  expect(subcommandsOf(agent.calls())).not.toContain('reassemble-transcript')
  const dir = join(agent.transcript, '..')
  const kept = readdirSync(dir).filter((name) => name.includes('.backup-'))
  expect(kept.map((name) => readFileSync(join(dir, name), 'utf8'))).toEqual([second])
  expect((await repo.entire(['rewind', '--undo'])).code).toBe(0)
  expect(repo.read('greeting.txt')).toBe('HELLO\n')
  expect(readFileSync(agent.transcript, 'utf8')).toBe(second)
})

test('a session that is gone from this machine is resumed through write-session', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  await agent.turn('add a greeting', { 'greeting.txt': 'hello\n' })
  const before = readFileSync(agent.transcript, 'utf8')
  await repo.commitAs('human', 'a greeting', 'greeting.txt')
  rmSync(agent.transcript)
  const { code, out } = await repo.entire(['resume', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(out).sessions).toMatchObject([
    {
      session_id: agent.session,
      agent: 'Sample',
      command: 'sample --resume sample-session',
      path: agent.transcript,
    },
  ])
  expect(readFileSync(agent.transcript, 'utf8')).toBe(before)
  expect(subcommandsOf(agent.calls())).toContain('write-session')
})

test('if write-session fails, the file is written directly', async () => {
  await using repo = await enabledRepo(on('write-session', 'echo "the disk said no" >&2; exit 1'))
  const agent = await shellAgent(repo)
  await agent.turn('add a greeting', { 'greeting.txt': 'hello\n' })
  const before = readFileSync(agent.transcript, 'utf8')
  await repo.commitAs('human', 'a greeting', 'greeting.txt')
  rmSync(agent.transcript)
  const { code, err } = await repo.entire(['resume', '--json'])
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('the disk said no') })
  expect(readFileSync(agent.transcript, 'utf8')).toBe(before)
})

test('subcommands of undeclared capabilities are never called', async () => {
  const bare = on(
    'info',
    `echo info >> "$HOME/calls"; printf '%s' '{"protocol_version":1,"name":"sample","type":"Sample","description":"d","hook_names":["start","prompt","stop","end"],"capabilities":{"hooks":true}}'; exit 0`,
  )
  await using repo = await enabledRepo(bare)
  const agent = await shellAgent(repo)
  await agent.hook('start')
  await agent.turn('add a greeting', { 'greeting.txt': 'hello\n' })
  await repo.commitAs('human', 'a greeting', 'greeting.txt')
  expect(await repo.checkpointsOf()).toHaveLength(1)
  const declared = ['info', 'detect', 'are-hooks-installed', 'install-hooks', 'parse-hook', 'read-transcript']
  expect([...new Set(subcommandsOf(agent.calls()))].filter((name) => !declared.includes(name ?? ''))).toEqual(
    [],
  )
})

test('plugins are not searched for unless the settings allow them', async () => {
  await using repo = await repoWithPlugins()
  putPlugin(repo)
  const agent = await shellAgent(repo)
  await repo.commitAs('human', 'begin')
  await repo.entire(['status'])
  const { code, err } = await agent.hook('prompt', { prompt: 'x' })
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Unknown agent "sample"') })
  expect(agent.calls()).toEqual([])
})

test('hooks of an external agent are silent where entire is disabled', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  await repo.entire(['disable'])
  forgetCalls(repo)
  expect(await agent.hook('prompt', { prompt: 'x' })).toEqual({ code: 0, out: '', err: '' })
  expect(agent.calls()).toEqual([''])
})

test('uninstalling removes the hooks of an external agent', async () => {
  await using repo = await enabledRepo()
  const { code, out } = await repo.entire(['disable', '--uninstall', '--force'])
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('Removed Sample hooks') })
  expect(existsSync(join(repo.root, '.sample'))).toBe(false)
})

test('uninstalling never claims success that the plugin did not confirm', async () => {
  for (const defect of [
    on('uninstall-hooks', 'exit 0'),
    on('uninstall-hooks', 'echo broken >&2; exit 1'),
    on('are-hooks-installed', 'exit 1'),
  ]) {
    await using repo = await repoWithPlugins()
    putPlugin(repo)
    await repo.entire(['enable', '--agent', 'sample'])
    const path = putPlugin(repo, defect)
    const { code, out, err } = await repo.entire(['disable', '--uninstall', '--force'])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`${path} uninstall-hooks`) })
    expect(out).not.toContain('successfully')
  }
})

test('a transcript that is not JSON is kept as it is', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  await agent.hook('prompt', { prompt: 'write' })
  const text = '# Log\n\n  indented: äöü\n\tno newline at the end'
  writeFileSync(agent.transcript, text)
  repo.write('a.txt', 'a\n')
  await agent.hook('stop')
  await repo.commitAs('human', 'a file', 'a.txt')
  expect(await repo.transcript(await repo.checkpointOf())).toBe(text)
})

test('a plugin that other users can change, or that is in the work tree, is not run, and a message says so', async () => {
  await using repo = await repoWithPlugins()
  openToAll(putPlugin(repo))
  const open = await repo.entire(['enable', '--agent', 'sample'])
  expect(open).toMatchObject({ code: 1, err: expect.stringContaining('any user can write to it') })
  rmSync(join(repo.bin, 'entire-agent-sample'))
  repo.write('tools/.keep', '')
  writePlugin(join(repo.root, 'tools'), 'sample')
  const inside = await repo.entire(['enable', '--agent', 'sample'], {
    env: { PATH: `${join(repo.root, 'tools')}:${repo.env.PATH}` },
  })
  expect(inside).toMatchObject({ code: 1, err: expect.stringContaining('it is in the work tree') })
})

test('a built-in agent is never replaced by a plugin of the same name or type', async () => {
  await using repo = await repoWithPlugins()
  putPlugin(repo, '', 'claude-code')
  putPlugin(
    repo,
    on(
      'info',
      `printf '%s' '{"protocol_version":1,"name":"sample","type":"Claude Code","description":"d","capabilities":{}}'; exit 0`,
    ),
  )
  const { out, err } = await repo.entire(['agent', 'list'])
  expect(out.match(/Claude Code/g)).toHaveLength(1)
  expect(err).toContain('another agent has the type "Claude Code"')
})

test('a plugin writes the summary of its session', async () => {
  const summary = JSON.stringify({
    intent: 'greet',
    outcome: 'done',
    learnings: { repo: [], code: [], workflow: [] },
    friction: [],
    open_items: [],
  })
  await using repo = await enabledRepo(
    on(
      'generate-text',
      `[ "$PWD" = "$ENTIRE_REPO_ROOT" ] || exit 1; cat >/dev/null; printf '%s' '${JSON.stringify({ text: summary })}'; exit 0`,
    ),
  )
  const agent = await shellAgent(repo)
  await agent.hook('prompt', { prompt: 'greet' })
  agent.say({ role: 'user', text: 'greet' })
  repo.write('a.txt', 'hi\n')
  agent.say({ role: 'assistant', text: 'I greeted.' })
  await agent.hook('stop')
  await repo.commitAs('human', 'a file', 'a.txt')
  const id = await repo.checkpointOf()
  const { code, err } = await repo.entire(['explain', '-c', id, '--generate'])
  expect({ code, err }).toMatchObject({ code: 0 })
  expect((await repo.entire(['explain', '-c', id])).out).toContain('Intent: greet')
})
