// The plugin itself, run in a process of its own with the events of captured runs, and a program in place of
// `entire` that notes its calls.
import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { opencodeSessions } from '../../../test/support/opencode-sessions.ts'
import { runProgram } from '../../../test/support/process.ts'
import { tempDir } from '../../../test/support/repo.ts'
import { until } from '../../../test/support/until.ts'
import { opencodeInstaller } from './install.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/opencode')
const player = join(import.meta.dir, '../../../test/support/opencode-player.ts')

const first = 'ses_e1f5189f2ffeNHO5Kjo3nIUYq4'
const second = 'ses_e1f5020aaffe9hoPMho1IVP3Jo'

interface Options {
  script?: string
  events?: string
  ending?: string
  until?: string
  env?: Record<string, string>
}

/** A place with the plugin installed, where a program called `entire` writes down how it was called. */
async function place() {
  const dir = tempDir()
  const root = join(dir.base, 'work tree')
  const program = join(dir.base, "the entire's program")
  const notes = join(dir.base, 'calls')
  mkdirSync(root)
  await opencodeInstaller.install({ root, keepDir: dir.base }, { command: program, force: false })
  const home = dir.env.HOME as string
  return {
    root,
    program,
    sessions: opencodeSessions(home),
    async play(
      scenario: string,
      { script = '', events, ending = 'dispose', until = 'dispose', env }: Options = {},
    ) {
      writeFileSync(
        program,
        `#!/bin/sh\n${script}\npayload=$(cat)\nprintf '%s %s%s\\n' "$3" "$4" "$payload" >>'${notes}'\n`,
      )
      chmodSync(program, 0o755)
      const path = events ?? join(fixtures, scenario, 'events.jsonl')
      return await runProgram(
        [process.execPath, player, join(root, '.opencode/plugins/entire.ts'), path, root, ending, until],
        {
          cwd: root,
          env: { ...dir.env, ...env },
        },
      )
    },
    calls: (): [string, Record<string, unknown>][] =>
      (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []).map((line) => {
        const [, verb = '', payload = ''] = /^(\S+) (.*)$/.exec(line) ?? []
        const { cwd, ...rest } = JSON.parse(payload)
        expect(cwd).toBe(root)
        return [verb, rest]
      }),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  }
}

test('a run is a session with a turn', async () => {
  await using here = await place()
  expect(await here.play('run1-create')).toEqual({ code: 0, stdout: Buffer.alloc(0), stderr: '' })
  expect(here.calls()).toEqual([
    ['session-start', { session_id: first }],
    [
      'turn-start',
      {
        session_id: first,
        prompt: '"create hello.txt"',
        model: 'mock-model',
        since: 'msg_1e0ae778a001SBc830uGS5AVDZ',
      },
    ],
    ['turn-end', { session_id: first }],
    ['session-end', { session_id: first }],
  ])
})

test('a resumed session reports no start, only its prompt', async () => {
  await using here = await place()
  await here.play('run1-create')
  for (const scenario of ['run2-resume-edit', 'run3-commit']) await here.play(scenario)
  const turns = here.calls().filter(([verb]) => verb !== 'session-start')
  expect(turns.map(([verb, { session_id, prompt }]) => [verb, session_id, prompt])).toEqual(
    ['create hello.txt', 'edit hello.txt', 'commit the work'].flatMap((prompt) => [
      ['turn-start', first, `"${prompt}"`],
      ['turn-end', first, undefined],
      ['session-end', first, undefined],
    ]),
  )
})

test('a subagent is a task of the session that started it, not a session', async () => {
  await using here = await place()
  await here.play('run6-subagent')
  const task = {
    session_id: second,
    tool_use_id: 'call_6gsvhkhntf',
    subagent_type: 'general',
    description: 'Say nothing',
  }
  const usage = { input: 1097, output: 23, cache_read: 203, cache_write: 0, calls: 1 }
  expect(here.calls()).toMatchObject([
    ['session-start', { session_id: second }],
    ['turn-start', { session_id: second, prompt: '"delegate it"' }],
    ['subagent-start', task],
    ['subagent-stop', { ...task, subagent_id: 'ses_e1f5004cbffeEM37HsCSYObOpy', usage }],
    ['turn-end', { session_id: second }],
    ['session-end', { session_id: second }],
  ])
  expect(here.calls()).toHaveLength(6)
})

test('a failed task reports its end', async () => {
  await using here = await place()
  const lines = readFileSync(join(fixtures, 'run6-subagent/events.jsonl'), 'utf8').replaceAll(
    '"status":"completed"',
    '"status":"error"',
  )
  const events = join(here.root, 'events.jsonl')
  writeFileSync(events, lines.replace(/^.*"hook":"tool.execute.after".*\n/m, ''))
  await here.play('', { events })
  expect(here.calls().map(([verb]) => verb)).toContain('subagent-stop')
})

test('a subagent that continues in another run is still not a session', async () => {
  await using here = await place()
  await here.play('run6-subagent')
  const again = here.calls().length
  const lines = readFileSync(join(fixtures, 'run6-subagent/events.jsonl'), 'utf8').split('\n')
  const events = join(here.root, 'events.jsonl')
  writeFileSync(events, lines.filter((line) => !line.includes('"event.session.')).join('\n'))
  await here.play('', { events })
  const sessions = here
    .calls()
    .slice(again)
    .map(([, { session_id }]) => session_id)
  expect(new Set(sessions)).toEqual(new Set([second]))
})

test('the old messages of a fork are not prompts', async () => {
  await using here = await place()
  const [created, ...rest] = readFileSync(join(fixtures, 'run2-resume-edit/events.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const old = readFileSync(join(fixtures, 'run1-create/events.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => /"event\.(?:session\.created|message\.)/.test(line))
  const events = join(here.root, 'events.jsonl')
  writeFileSync(events, [...old, created, ...rest].join('\n').replaceAll(first, 'ses_fork'))
  await here.play('', { events })
  expect(here.calls().map(([verb, { prompt }]) => prompt ?? verb)).toEqual([
    'session-start',
    '"edit hello.txt"',
    'turn-end',
    'session-end',
  ])
  expect(here.calls()[1]?.[1].since).toBe('msg_1e0af0b4a001n7yMGd8YHm0tk2')
})

test('the agent waits until a slow recording has finished', async () => {
  await using here = await place()
  await here.play('run1-create', { script: 'sleep 0.3' })
  expect(here.calls().map(([verb]) => verb)).toEqual([
    'session-start',
    'turn-start',
    'turn-end',
    'session-end',
  ])
})

test('a turn is recorded even when the agent does not wait', async () => {
  await using here = await place()
  await here.play('run1-create', { script: 'sleep 0.3', ending: 'gone', until: 'event.session.idle' })
  await until(() => here.calls().length >= 3)
  expect(here.calls().map(([verb]) => verb)).toEqual(['session-start', 'turn-start', 'turn-end'])
})

test('a turn ends when the agent is closed in the middle of it', async () => {
  await using here = await place()
  await here.play('run1-create', { until: 'tool.execute.after' })
  expect(here.calls().map(([verb]) => verb)).toEqual([
    'session-start',
    'turn-start',
    'turn-end',
    'session-end',
  ])
})

test('a process that only exports a session reports nothing', async () => {
  await using here = await place()
  const events = join(here.root, 'events.jsonl')
  writeFileSync(events, '{"hook":"dispose","payload":{}}\n')
  await here.play('', { events })
  expect(here.calls()).toEqual([])
})

test('a compaction and the deletion of a session are reported', async () => {
  await using here = await place()
  const lines = readFileSync(join(fixtures, 'run1-create/events.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .slice(0, -1)
  const event = (type: string, properties: object) =>
    JSON.stringify({ hook: `event.${type}`, payload: { type, properties } })
  const events = join(here.root, 'events.jsonl')
  const compacted = event('session.compacted', { sessionID: first })
  writeFileSync(
    events,
    [
      ...lines,
      compacted,
      event('session.deleted', { info: { id: first } }),
      event('session.invented', {}),
    ].join('\n'),
  )
  await here.play('', { events })
  expect(here.calls().map(([verb]) => verb)).toEqual([
    'session-start',
    'turn-start',
    'turn-end',
    'compaction',
    'session-end',
  ])
})

const failures: [string, string][] = [
  ['a program that fails and talks', 'echo noise; echo noise >&2; exit 1'],
  ['a program that reads nothing', 'exec <&-; exit 0'],
]

test.each(failures)('%s does not disturb the agent', async (_name, script) => {
  await using here = await place()
  expect(await here.play('run6-subagent', { script })).toEqual({
    code: 0,
    stdout: Buffer.alloc(0),
    stderr: '',
  })
})

test('a program that is not installed does not disturb the agent', async () => {
  await using here = await place()
  await opencodeInstaller.install(
    { root: here.root, keepDir: here.root },
    { command: 'no-such-program-anywhere', force: false },
  )
  expect(await here.play('run6-subagent')).toEqual({ code: 0, stdout: Buffer.alloc(0), stderr: '' })
  expect(here.calls()).toEqual([])
})

test('turns are recorded even when OpenCode does not answer', async () => {
  await using here = await place()
  await here.play('run2-resume-edit', { env: { OPENCODE_FAILS: '1' } })
  expect(here.calls().map(([verb]) => verb)).toEqual(['turn-start', 'turn-end', 'session-end'])
})
