// Runs the extension as Pi does: in a program that emits Pi's events, with a script in the place of `entire`.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type PiContext, type ScriptedPi, scriptedPi } from '../../../test/support/scripted-pi.ts'
import type { JsonObject } from '../../std/json.ts'
import { piInstaller } from './install.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/pi')
const path = '.pi/extensions/entire/index.ts'
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'entire-pi-extension-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const recording =
  'printf "%s begins\\n" "$*" >>"$0.log"; cat >>"$0.in"; printf "\\n" >>"$0.in"; sleep 0.1; printf "%s ends\\n" "$*" >>"$0.log"'

/** The script that runs in the place of `entire`. */
function put(program: string, script: string): string {
  const file = join(root, 'bin', program)
  mkdirSync(join(root, 'bin'), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

async function startPi(command = 'entire', edit = (text: string) => text): Promise<ScriptedPi> {
  await piInstaller.install({ root, keepDir: join(root, 'kept') }, { command, force: false })
  writeFileSync(join(root, path), edit(readFileSync(join(root, path), 'utf8')))
  return scriptedPi(join(root, path), {
    cwd: root,
    env: { PATH: `${join(root, 'bin')}${delimiter}/usr/bin:/bin`, HOME: root },
  })
}

const lines = (file: string) =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
const verbs = (program: string) => lines(`${program}.log`)
const payloads = (program: string) => lines(`${program}.in`).map((line) => JSON.parse(line) as JsonObject)
const ctx = (more: Partial<PiContext> = {}): PiContext => ({
  cwd: root,
  hasUI: false,
  sessionId: 'abc',
  sessionFile: '/s/2026_abc.jsonl',
  model: { id: 'm' },
  ...more,
})

function captured(scenario: string): { name: string; event: JsonObject; ctx: PiContext }[] {
  const dir = join(fixtures, scenario, 'hooks')
  return readdirSync(dir)
    .toSorted()
    .map((file) => {
      const { event, ctx: seen } = JSON.parse(readFileSync(join(dir, file), 'utf8'))
      return { name: event.type, event, ctx: { ...seen, cwd: root } }
    })
}

test.each([
  ['run1-create', 'create hello.txt'],
  ['run2-resume-edit', 'edit hello.txt'],
  ['run3-commit-continue', 'commit the work'],
])('%s: each event of Pi is passed on once, with its session', async (scenario, prompt) => {
  const entire = put('entire', recording)
  await using pi = await startPi()
  for (const { name, event, ctx: seen } of captured(scenario))
    expect((await pi.emit(name, event, seen)).returned).toEqual([])
  await pi.quit()
  const session_id = '01a1e0b2-7cac-759b-b11e-c3ad235bf442'
  const common = {
    cwd: root,
    session_id,
    session_file: `/home/dev/.pi/agent/sessions/--home-dev-app--/2026-11-15T19-32-36-141Z_${session_id}.jsonl`,
    model: 'mock-model',
  }
  expect(payloads(entire)).toEqual([
    { type: 'session_start', ...common, reason: 'startup' },
    { type: 'before_agent_start', ...common, prompt },
    { type: 'agent_end', ...common },
    { type: 'session_shutdown', ...common, reason: 'quit' },
  ])
  expect(verbs(entire).filter((line) => line.endsWith('begins'))).toEqual([
    'hooks pi session_start begins',
    'hooks pi before_agent_start begins',
    'hooks pi agent_end begins',
    'hooks pi session_shutdown begins',
  ])
})

test('the end of a turn is reported before the end of the session, although Pi does not wait for it', async () => {
  const entire = put('entire', recording)
  await using pi = await startPi()
  pi.emitAndGoOn('agent_end', { messages: [] }, ctx())
  await pi.emit('session_shutdown', { reason: 'quit' }, ctx())
  await pi.quit()
  expect(verbs(entire)).toEqual([
    'hooks pi agent_end begins',
    'hooks pi agent_end ends',
    'hooks pi session_shutdown begins',
    'hooks pi session_shutdown ends',
  ])
})

test('the next turn does not begin before the end of the last one was reported', async () => {
  const entire = put('entire', recording)
  await using pi = await startPi()
  pi.emitAndGoOn('agent_end', { messages: [] }, ctx())
  await pi.emit('before_agent_start', { prompt: 'more' }, ctx())
  expect(verbs(entire).at(-1)).toBe('hooks pi before_agent_start ends')
  expect(verbs(entire).indexOf('hooks pi agent_end ends')).toBe(1)
})

test('a turn without a prompt is reported', async () => {
  const entire = put('entire', recording)
  await using pi = await startPi()
  await pi.emit('before_agent_start', { prompt: 'go' }, ctx())
  await pi.emit('agent_start', {}, ctx())
  await pi.emit('agent_end', { messages: [] }, ctx())
  // The turn failed, and Pi tries again.
  await pi.emit('agent_start', {}, ctx())
  await pi.emit('agent_end', { messages: [] }, ctx())
  await pi.emit('session_compact', {}, ctx())
  expect(payloads(entire).map(({ type }) => type)).toEqual([
    'before_agent_start',
    'agent_end',
    'agent_start',
    'agent_end',
    'session_compact',
  ])
})

test('only tools that start a subagent are reported', async () => {
  const entire = put('entire', recording)
  await using pi = await startPi()
  const input = { agent: 'scout', task: 'look' }
  for (const toolName of ['bash', 'subagent']) {
    const tool = { toolName, toolCallId: `call_${toolName}`, input }
    expect((await pi.emit('tool_call', tool, ctx())).returned).toEqual([])
    expect((await pi.emit('tool_result', { ...tool, content: [], isError: false }, ctx())).returned).toEqual(
      [],
    )
  }
  const told = { tool_name: 'subagent', tool_use_id: 'call_subagent', tool_input: input }
  expect(payloads(entire)).toMatchObject([
    { type: 'tool_call', ...told },
    { type: 'tool_result', ...told },
  ])
})

test('a session that Pi does not keep is not reported', async () => {
  const entire = put('entire', recording)
  await using pi = await startPi()
  const { sessionFile: _none, ...unkept } = ctx()
  const events = [
    'session_start',
    'before_agent_start',
    'agent_start',
    'agent_end',
    'session_compact',
    'session_shutdown',
  ]
  for (const name of events)
    expect(await pi.emit(name, { reason: 'startup' }, unkept)).not.toHaveProperty('session')
  await pi.quit()
  expect(payloads(entire)).toEqual([])
})

test('a fork names its parent, and a reload does not end a session', async () => {
  const entire = put('entire', recording)
  await using pi = await startPi()
  await pi.emit('session_start', { reason: 'startup' }, ctx({ parentSession: '/s/2025_old.jsonl' }))
  await pi.emit('session_shutdown', { reason: 'reload' }, ctx())
  expect(payloads(entire)).toMatchObject([{ type: 'session_start', parent_session: '/s/2025_old.jsonl' }])
})

test('commands know their session, and a message is shown where there is a screen', async () => {
  put(
    'entire',
    `cat >/dev/null; printf '%s\\n' '{"systemMessage":"\\n\\nPowered by Entire"}'; echo noise >&2`,
  )
  await using pi = await startPi()
  expect(await pi.emit('session_start', { reason: 'startup' }, ctx({ hasUI: true }))).toMatchObject({
    shown: ['Powered by Entire'],
    session: 'abc',
  })
  expect((await pi.emit('session_start', { reason: 'new' }, ctx({ sessionId: 'def' }))).shown).toEqual([])
  expect((await pi.emit('agent_end', { messages: [] }, ctx({ hasUI: true }))).shown).toEqual([])
  await pi.quit()
})

test('a prompt of any length and with any characters arrives unchanged', async () => {
  const entire = put('entire', 'cat >>"$0.in"; printf "\\n" >>"$0.in"')
  await using pi = await startPi()
  const prompt = `it's "quoted" \`x\` $HOME \\ \u2028 日本\n${'long '.repeat(100_000)}`
  await pi.emit('before_agent_start', { prompt }, ctx())
  expect(payloads(entire)[0]?.prompt).toBe(prompt)
})

test.each([
  ['is not installed', undefined],
  ['fails', 'exit 3'],
  ['does not read', 'exec 0<&-; sleep 0.2; exit 0'],
  ['says something else', 'cat >/dev/null; echo hello'],
])('Pi is not disturbed when the program %s', async (_how, script) => {
  if (script !== undefined) put('entire', script)
  await using pi = await startPi()
  const prompt = 'long '.repeat(100_000)
  expect(await pi.emit('session_start', { reason: 'startup' }, ctx({ hasUI: true }))).toMatchObject({
    returned: [],
    shown: [],
  })
  expect((await pi.emit('before_agent_start', { prompt }, ctx())).returned).toEqual([])
  expect((await pi.emit('agent_end', { messages: [] }, ctx({ cwd: join(root, 'gone') }))).returned).toEqual(
    [],
  )
  await pi.quit()
})

test('a program whose path has special characters is run', async () => {
  const odd = put("en'tire \\ 日本", recording)
  await using pi = await startPi(odd)
  await pi.emit('session_start', { reason: 'startup' }, ctx())
  expect(payloads(odd)).toMatchObject([{ type: 'session_start' }])
})

test('a program that hangs is killed, and Pi continues', async () => {
  put('entire', 'exec sleep 60')
  await using pi = await startPi('entire', (text) => text.replace('limitMs = 30_000', 'limitMs = 300'))
  expect((await pi.emit('before_agent_start', { prompt: 'go' }, ctx())).returned).toEqual([])
  await pi.quit()
})
