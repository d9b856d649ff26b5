// Names pipes, devices and sockets where an agent names files: a hook or a command that opened one would wait
// or read for ever.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { agents } from '../../src/agents/all.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rotatingRows, rotationTitle } from '../support/rotation.ts'

setDefaultTimeout(240_000)

const limitSeconds = '20'

/** Runs the program; killed after the limit, it has the exit code 124 or 137. */
async function run(
  repo: RecordedRepo,
  args: string[],
  payload?: object,
): Promise<{ code: number; err: string }> {
  const argv = ['timeout', '-k', '1', limitSeconds, binary, ...args]
  const ran = await repo.run(argv, payload === undefined ? {} : { stdin: JSON.stringify(payload) })
  return { code: ran.code, err: ran.stderr }
}

async function makePipe(path: string): Promise<string> {
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  await Bun.spawn(['mkfifo', path]).exited
  return path
}

const pathFields = ['transcript_path', 'transcriptPath', 'session_file', 'agent_transcript_path']

describe.each(
  agents
    .filter(({ hookNames }) => hookNames.length > 0)
    .map(({ name, hookNames }) => [name, hookNames] as const),
)('%s', (agent, verbs) => {
  test(`a pipe, a device or a socket in a payload is not opened (${rotationTitle})`, async () => {
    await using repo = await recordedRepo({
      agent,
      env: { ENTIRE_TEST_OPENCODE_MOCK_EXPORT: '1' },
      isCommitted: true,
    })
    const home = join(repo.base, 'home')
    const pipe = await makePipe(join(home, 'agent-x.jsonl'))
    await makePipe(join(home, 'agent-x.meta.json'))
    const socket = join(home, 's.jsonl')
    const server = createServer().listen(socket)
    const plain = join(home, 'plain.jsonl')
    writeFileSync(plain, '{"type":"user"}\n')
    const input = { subagent_type: 'worker', description: 'd', prompt: 'p', file_path: pipe, path: pipe }
    let session = 0
    // All fields at once each time, and one of them alone.
    for (const [number, verb] of verbs.entries())
      for (const fields of [...rotatingRows(pathFields, number).map((field) => [field]), pathFields])
        for (const odd of fields.length > 1 ? [pipe, '/dev/zero', socket] : [pipe]) {
          session += 1
          const id = `odd-${session}`
          const payload = {
            ...{ session_id: id, sessionId: id, conversation_id: id, cwd: repo.root, prompt: 'do it' },
            ...Object.fromEntries(pathFields.map((field) => [field, plain])),
            ...{
              tool_name: 'Task',
              toolName: 'Task',
              tool_use_id: `t-${session}`,
              tool_call_id: `t-${session}`,
            },
            ...{
              tool_input: input,
              toolArgs: input,
              agent_id: 'x',
              agentId: 'x',
              subagent_id: 'x',
              agent_type: 'w',
            },
            ...{ tool_response: { status: 'completed', agentId: 'x' }, model: 'm', source: 'startup' },
            ...Object.fromEntries(fields.map((field) => [field, odd])),
          }
          const { code } = await run(repo, ['hooks', agent, verb], payload)
          expect([verb, fields, odd, code]).toEqual([verb, fields, odd, 0])
        }
    server.close()
  })
})

test('subagents whose transcripts are pipes, and pipes that a transcript names, are passed over', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  const inner = join(dirname(agent.transcript), agent.session, 'subagents', 'agent-sub1')
  await agent.task({ toolUse: 'toolu_1', subagent: 'sub0', work: () => {}, files: { 'sub.txt': 'sub\n' } })
  await makePipe(`${inner}.jsonl`)
  await makePipe(`${inner}.meta.json`)
  await makePipe(join(repo.root, 'queue'))
  agent.write('a.txt', 'one\n')
  for (const file_path of [join(repo.root, 'queue'), '/dev/zero', `${inner}.jsonl`])
    agent.log({
      type: 'assistant',
      message: {
        id: file_path,
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'x', name: 'Edit', input: { file_path } }],
      },
    })
  agent.log({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' }] },
    toolUseResult: { status: 'completed', agentId: 'sub1' },
  })
  const base = { session_id: agent.session, transcript_path: agent.transcript, cwd: repo.root }
  const task = { tool_name: 'Agent', tool_use_id: 'toolu_2', tool_input: {} }
  expect((await run(repo, ['hooks', 'claude-code', 'pre-task'], { ...base, ...task })).code).toBe(0)
  const end = { ...base, ...task, tool_response: { status: 'completed', agentId: 'sub1' } }
  expect((await run(repo, ['hooks', 'claude-code', 'post-task'], end)).code).toBe(0)
  const subagentStop = { ...base, agent_id: 'sub1', agent_transcript_path: `${inner}.jsonl` }
  expect((await run(repo, ['hooks', 'claude-code', 'subagent-stop'], subagentStop)).code).toBe(0)
  expect((await run(repo, ['hooks', 'claude-code', 'stop'], base)).code).toBe(0)
  const [branch = ''] = await repo.shadows()
  expect(await repo.paths(branch)).toContain('a.txt')
})

test('a pipe in place of a session, a log or a setting does not stop a command', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write', { 'a.txt': 'one\n' })
  await repo.commitAs('human', 'a', 'a.txt')
  const [id = ''] = await repo.checkpointsOf()
  const other = join(dirname(agent.transcript), '0b1c0e52-8f0e-4a54-9a13-5a3f1f0a7c11.jsonl')
  await makePipe(agent.transcript)
  await makePipe(other)
  for (const args of [
    ['session', 'attach', '0b1c0e52-8f0e-4a54-9a13-5a3f1f0a7c11', '--agent', 'claude-code', '--force'],
    ['session', 'attach', other, '--agent', 'claude-code', '--force'],
    ['session', 'list'],
    ['session', 'info', agent.session],
    ['session', 'info', agent.session, '--transcript'],
    ['explain', id],
    ['rewind', '--list'],
    ['resume', 'main', '--force'],
    ['status'],
  ])
    expect([args, (await run(repo, args)).code > 2]).toEqual([args, false])
  for (const path of [
    join(repo.root, '.entire/settings.local.json'),
    join(repo.repo.gitDir, 'entire-logs/entire.log'),
    join(repo.repo.gitDir, 'entire-live.json'),
    join(repo.repo.gitDir, 'entire-config.json'),
  ]) {
    await makePipe(path)
    const base = { session_id: agent.session, transcript_path: agent.transcript, cwd: repo.root }
    const hook = await run(repo, ['hooks', 'claude-code', 'user-prompt-submit'], { ...base, prompt: 'more' })
    expect([path, hook.code]).toEqual([path, 0])
    for (const args of [['status'], ['doctor'], ['doctor', 'logs']])
      expect([path, args, (await run(repo, args)).code > 1]).toEqual([path, args, false])
    rmSync(path)
  }
})
