// Replays captured runs of OpenCode through the installed plugin, against the compiled program.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { installOpencode, type OpencodeRepo, opencodeRepo } from '../support/opencode-repo.ts'
import { opencodeSessions } from '../support/opencode-sessions.ts'
import { otherMachine, pushAll } from '../support/resumable.ts'

setDefaultTimeout(120_000)

const session = 'ses_e1f5189f2ffeNHO5Kjo3nIUYq4'

async function ready(): Promise<OpencodeRepo> {
  const repo = await opencodeRepo()
  await repo.commitAs('human', 'begin')
  return repo
}

const warnings = (repo: OpencodeRepo) =>
  repo.log().filter(({ level }) => !/^(?:info|debug)$/i.test(String(level)))

test('the checkpoint of a session that creates, edits and commits has prompts, files and tokens', async () => {
  await using repo = await ready()
  await repo.play('run1-create')
  expect(repo.state(session)).toMatchObject({
    phase: 'ended',
    agent_type: 'OpenCode',
    first_prompt: 'create hello.txt',
    files_touched: ['hello.txt'],
  })
  await repo.play('run2-resume-edit')
  expect(repo.read('hello.txt')).toBe('Hello, agents!\nSecond line.\n')
  await repo.play('run3-commit')
  expect((await repo.message()).split('\n')[0]).toBe('Add hello.txt')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: session,
    agent: 'OpenCode',
    model: 'mock-model',
    files_touched: ['hello.txt'],
    // The tokens of the commit itself are known when its turn is over.
    token_usage: { input_tokens: 6986, cache_read_tokens: 1414, output_tokens: 154, api_call_count: 7 },
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe(
    ['create hello.txt', 'edit hello.txt', 'commit the work'].join('\n\n---\n\n'),
  )
  // The commit came in the middle of a turn; its end completed the transcript.
  expect(JSON.parse(await repo.transcript(id))).toEqual(repo.sessions.find(session) as never)
  expect(repo.temporary()).toEqual([])
  expect(warnings(repo)).toEqual([])
})

test('the work and the tokens of a subagent belong to its turn', async () => {
  await using repo = await ready()
  const delegating = 'ses_e1f5020aaffe9hoPMho1IVP3Jo'
  await repo.play('run6-subagent', { env: { SUBAGENT_WRITES: 'by-subagent.txt' } })
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out)
  expect(points).toContainEqual(expect.objectContaining({ is_task_checkpoint: true, session_id: delegating }))
  expect(repo.hasState('ses_e1f5004cbffeEM37HsCSYObOpy')).toBe(false)
  expect(repo.state(delegating)).toMatchObject({ phase: 'ended', files_touched: ['by-subagent.txt'] })
  await repo.commitAs('human', 'keep it', 'by-subagent.txt')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    token_usage: {
      ...{ input_tokens: 2194, cache_read_tokens: 406, output_tokens: 46, api_call_count: 2 },
      subagent_tokens: { input_tokens: 1097, cache_read_tokens: 203, output_tokens: 23, api_call_count: 1 },
    },
  })
  expect(repo.temporary()).toEqual([])
})

test('a commit between turns has the conversation, even if OpenCode no longer answers', async () => {
  await using repo = await ready()
  await repo.play('run1-create')
  await repo.gitAs('human', ['add', 'hello.txt'])
  await repo.gitAs('human', ['commit', '--quiet', '-m', 'greet'], { env: { OPENCODE_FAILS: 'export' } })
  const id = await repo.checkpointOf()
  expect(JSON.parse(await repo.transcript(id))).toEqual(repo.sessions.find(session) as never)
})

const troubles: [string, (repo: OpencodeRepo) => Record<string, string>, string][] = [
  ['fails', () => ({ OPENCODE_FAILS: 'export' }), 'database is locked'],
  [
    'is not to be had',
    (repo) => {
      rmSync(join(repo.base, 'bin/opencode'))
      return {}
    },
    'opencode: ',
  ],
]

test.each(troubles)(
  'when the export %s, the files are still recorded and the reason is logged',
  async (_name, cause, reason) => {
    await using repo = await ready()
    await repo.play('run1-create', { env: cause(repo) })
    expect(repo.state(session)).toMatchObject({ files_touched: ['hello.txt'], checkpoint_count: 1 })
    expect(warnings(repo).map(({ msg }) => msg)).toEqual([expect.stringContaining(reason)])
    expect(repo.temporary()).toEqual([])
    // The next turn has the whole transcript again.
    installOpencode(join(repo.base, 'bin'))
    await repo.play('run2-resume-edit')
    await repo.commitAs('human', 'greet', 'hello.txt')
    expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
      model: 'mock-model',
      token_usage: { api_call_count: 5 },
    })
  },
)

test('a turn that never ended is recorded when the session continues', async () => {
  await using repo = await ready()
  await repo.play('run1-create', { until: 'tool.execute.after', ending: 'gone' })
  expect(repo.state(session)).toMatchObject({ phase: 'active' })
  await repo.play('run2-resume-edit', { until: 'chat.message', ending: 'gone' })
  expect(repo.state(session)).toMatchObject({
    phase: 'active',
    files_touched: ['hello.txt'],
    checkpoint_count: 1,
  })
})

test('a rewind restores the conversation with the files, and keeps the replaced one', async () => {
  await using repo = await ready()
  await repo.play('run1-create')
  await repo.play('run2-resume-edit')
  const long = repo.sessions.find(session)
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    id: string
    message: string
  }[]
  const rewound = await repo.entire([
    'rewind',
    '--to',
    points.find(({ message }) => message === 'Create hello.txt')?.id ?? '',
  ])
  expect(rewound).toMatchObject({ code: 0 })
  expect(rewound.out + rewound.err).toContain(`opencode -s ${session}`)
  expect(repo.read('hello.txt')).toBe('Hello, world!\nSecond line.\n')
  expect(repo.sessions.find(session)?.messages).toEqual(long?.messages.slice(0, 3) as never)
  const backup = readdirSync(join(repo.root, '.entire/tmp')).find((name) =>
    name.startsWith(`${session}.json.backup-`),
  )
  expect(JSON.parse(repo.read(`.entire/tmp/${backup}`))).toEqual(long as never)
  // The undo restores it.
  expect(await repo.entire(['rewind', '--undo'])).toMatchObject({ code: 0 })
  expect(repo.read('hello.txt')).toBe('Hello, agents!\nSecond line.\n')
  expect(repo.sessions.find(session)?.messages).toEqual(long?.messages as never)
})

test('undoing a rewind keeps messages that came after it', async () => {
  await using repo = await ready()
  await repo.play('run1-create')
  await repo.play('run2-resume-edit')
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    id: string
    message: string
  }[]
  await repo.entire([
    'rewind',
    '--to',
    points.find(({ message }) => message === 'Create hello.txt')?.id ?? '',
  ])
  const shorter = repo.sessions.find(session)
  const said = { info: { id: 'msg_zzz', role: 'user' }, parts: [] }
  repo.sessions.put({
    ...(shorter as NonNullable<typeof shorter>),
    messages: [...(shorter?.messages ?? []), said],
  })
  expect(await repo.entire(['rewind', '--undo'])).toMatchObject({ code: 0 })
  expect(repo.sessions.find(session)?.messages.at(-1)).toEqual(said)
})

test('the sessions of subagents survive a rewind of their parent', async () => {
  await using repo = await ready()
  const [parent, child] = ['ses_e1f5020aaffe9hoPMho1IVP3Jo', 'ses_e1f5004cbffeEM37HsCSYObOpy']
  await repo.play('run6-subagent', { env: { SUBAGENT_WRITES: 'by-subagent.txt' } })
  const before = repo.sessions.find(child)
  const [point] = JSON.parse((await repo.entire(['rewind', '--list'])).out) as { id: string }[]
  const more = repo.sessions.find(parent)
  const said = { info: { id: 'msg_zzz', role: 'user' }, parts: [] }
  repo.sessions.put({ ...(more as NonNullable<typeof more>), messages: [...(more?.messages ?? []), said] })
  expect(await repo.entire(['rewind', '--to', point?.id ?? ''])).toMatchObject({ code: 0 })
  expect(repo.sessions.find(parent)?.messages).toHaveLength(3)
  expect(repo.sessions.find(child)).toEqual(before as never)
})

test('a conversation that continued after its checkpoint is not replaced unasked', async () => {
  await using repo = await ready()
  await repo.git('switch', '--quiet', '-c', 'feature')
  await repo.play('run1-create')
  await repo.commitAs('human', 'greet', 'hello.txt')
  await repo.git('switch', '--quiet', 'main')
  await repo.play('run2-resume-edit', { env: { PATH: '/usr/bin:/bin' } })
  await repo.git('clean', '--force', '--quiet', 'hello.txt')
  const long = repo.sessions.find(session)
  expect(long?.messages).toHaveLength(7)
  const resumed = await repo.entire(['resume', 'feature'])
  expect(resumed.err + resumed.out).toMatch(/newer/)
  expect(repo.sessions.find(session)?.messages).toEqual(long?.messages as never)
})

test('a session that was not recorded can be attached to a commit', async () => {
  await using repo = await opencodeRepo()
  await repo.commitAs('human', 'begin')
  await repo.play('run1-create', { env: { PATH: '/usr/bin:/bin' } })
  expect(repo.hasState(session)).toBe(false)
  await repo.commitAs('human', 'greet', 'hello.txt')
  expect(await repo.entire(['session', 'attach', session, '--agent', 'opencode', '--force'])).toMatchObject({
    code: 0,
  })
  const attached = await repo.storedSession((await repo.checkpointsOf())[0] ?? '')
  expect(attached).toMatchObject({
    session_id: session,
    agent: 'OpenCode',
    token_usage: { api_call_count: 2 },
  })
})

test('a session is resumed on another machine, in a directory with another name', async () => {
  await using repo = await ready()
  await repo.git('switch', '--quiet', '-c', 'feature')
  await repo.play('run1-create')
  await repo.commitAs('human', 'greet', 'hello.txt')
  const machine = await otherMachine(repo, await pushAll(repo), '--branch', 'feature')
  expect(await machine.entire('enable', '--agent', 'opencode')).toMatchObject({ code: 0 })
  expect(await machine.entire('resume')).toMatchObject({
    code: 0,
    err: expect.stringContaining(`opencode -s ${session}`),
  })
  const there = opencodeSessions(machine.home).find(session)
  expect(there?.info.directory).toBe(machine.root)
  expect(there?.messages).toEqual(repo.sessions.find(session)?.messages as never)
})
