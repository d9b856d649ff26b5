// Tells the story of every live test in order: a real agent works, and its work is found where users look for
// it.
import { afterAll, expect, test } from 'bun:test'
import { liveAgents } from './agents/index.ts'
import { linkedCheckpoint, promptsIn, resumeCommand, rewindPoints, usage } from './expected.ts'
import { contents, prompts } from './model/script.ts'
import { setStage } from './stage.ts'

const { LIVE_AGENT, LIVE_AGENT_BIN } = process.env
const agent = liveAgents.find(({ name }) => name === LIVE_AGENT)
if (agent === undefined || LIVE_AGENT_BIN === undefined)
  throw new Error('Live tests are run by `npm run test:live`.')
const stage = await setStage(agent, LIVE_AGENT_BIN)
const { repo, model } = stage
const session = (index: number) => stage.sessions()[index]?.session_id ?? ''
const delegates = agent.tools.delegate !== undefined

// The caller removes the repository, because a story that is cut short does not clean up.
afterAll(() => model[Symbol.asyncDispose]())

test('create: a turn that writes a file makes a step, with its prompt and its tokens', async () => {
  await stage.ask(prompts.create)
  expect(repo.read('greeting.txt')).toBe(contents.greeting)
  expect(stage.sessions()).toMatchObject([
    {
      agent_type: agent.type,
      model_name: agent.model,
      first_prompt: prompts.create,
      files_touched: ['greeting.txt'],
      checkpoint_count: 1,
      token_usage: usage(2),
    },
  ])
  expect(await rewindPoints(stage)).toMatchObject([
    { session_id: session(0), session_prompt: prompts.create, is_logs_only: false },
  ])
})

test('edit: the agent continues the same session', async () => {
  await stage.ask(prompts.edit, await resumeCommand(stage, session(0)))
  expect(repo.read('greeting.txt')).toBe(contents.friendlier)
  expect(promptsIn(model.exchanges.at(-1))).toEqual([prompts.create, prompts.edit])
  expect(stage.sessions()).toMatchObject([
    { last_prompt: prompts.edit, session_turn_count: 2, checkpoint_count: 2, token_usage: usage(5) },
  ])
})

if (delegates) {
  test('subagent: its file and its tokens are those of the session that sent it', async () => {
    await stage.ask(prompts.delegate)
    expect(repo.read('poem.txt')).toBe(contents.poem)
    expect(stage.sessions()).toHaveLength(2)
    expect(stage.sessions()[1]).toMatchObject({
      first_prompt: prompts.delegate,
      files_touched: ['poem.txt'],
      token_usage: usage(2, 2),
    })
    const tasks = (await rewindPoints(stage)).filter((point) => point.is_task_checkpoint)
    expect(tasks.map((task) => task.session_id)).toEqual(agent.taskSteps ? [session(1)] : [])
  })
}

test('commit: the agent’s commit is linked to a checkpoint with everything that led to it', async () => {
  await stage.ask(prompts.commit, delegates ? await resumeCommand(stage, session(1)) : undefined)
  expect(await repo.git('log', '-1', '--format=%s')).toBe('Add texts')
  const id = await linkedCheckpoint(stage, agent.runsGitHooks)
  const files = delegates ? ['greeting.txt', 'poem.txt'] : ['greeting.txt']
  const checkpoint = JSON.parse(await repo.stored(id, 'metadata.json'))
  expect(checkpoint).toMatchObject({ files_touched: files, branch: 'main' })
  expect(checkpoint.sessions).toHaveLength(2)
  expect(await repo.storedSession(id, 0)).toMatchObject({
    session_id: session(0),
    agent: agent.type,
    model: agent.model,
    files_touched: ['greeting.txt'],
    token_usage: usage(5),
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe(`${prompts.create}\n\n---\n\n${prompts.edit}`)
  const transcript = await repo.transcript(id, 0)
  expect(transcript).toContain(prompts.edit)
  expect(transcript).toContain('It is friendlier now.')
  const committer = await repo.storedSession(id, 1)
  expect(committer).toMatchObject({ session_id: session(1), agent: agent.type, model: agent.model })
  // The checkpoint of the commit does not have tokens that the turn spent after it.
  const calls = Number((committer.token_usage as Record<string, unknown>).api_call_count)
  expect(committer.token_usage).toEqual(usage(calls, delegates ? 2 : 0))
  expect([1, 2, 3, 4].slice(0, delegates ? 4 : 2)).toContain(calls)
  expect(await repo.stored(id, '1/prompt.txt')).toBe(
    delegates ? `${prompts.delegate}\n\n---\n\n${prompts.commit}` : prompts.commit,
  )
  expect(await repo.transcript(id, 1)).toContain('It is committed.')
})

test('resume: on a machine without the conversation, the printed command continues it', async () => {
  stage.forget()
  const { code, err } = await repo.entire(['resume'])
  expect(code).toBe(0)
  const [, printed = ''] = err.split('To continue, run:\n')
  const command = printed.split('\n').find((line) => line.includes(session(0)))
  expect(command).toContain(`# ${prompts.create}`)
  await stage.ask(prompts.twoFiles, command?.replace(/ +#.*$/, '').trim())
  expect(promptsIn(model.exchanges.at(-1))).toEqual([prompts.create, prompts.edit, prompts.twoFiles])
  expect(stage.sessions()[0]).toMatchObject({
    session_turn_count: 3,
    files_touched: ['chapter-1.txt', 'chapter-2.txt'],
  })
})

test('rewind: files and conversation are restored, and files of the user stay', async () => {
  await stage.ask(prompts.shorten, await resumeCommand(stage, session(0)))
  expect(repo.read('chapter-1.txt')).toBe(contents.shorter)
  repo.write('mine.txt', 'mine\n')
  const before = (await rewindPoints(stage)).find((point) => point.message === prompts.twoFiles)
  const rewound = await repo.entire(['rewind', '--to', before?.id ?? ''])
  expect(rewound).toMatchObject({ code: 0 })
  expect([repo.read('chapter-1.txt'), repo.read('chapter-2.txt')]).toEqual([...contents.chapters])
  expect(repo.read('mine.txt')).toBe('mine\n')
  await stage.ask(prompts.failing, await resumeCommand(stage, session(0)))
  expect(promptsIn(model.exchanges.at(-1))).toEqual([
    prompts.create,
    prompts.edit,
    prompts.twoFiles,
    prompts.failing,
  ])
  expect((await repo.entire(['rewind', '--undo'])).code).toBe(0)
  expect(repo.read('chapter-1.txt')).toBe(contents.shorter)
})

test('a turn with only a failing command makes no step, and no hook has failed', async () => {
  const points = (await rewindPoints(stage)).length
  await stage.ask(prompts.failing)
  expect(stage.sessions().at(-1)).toMatchObject({ first_prompt: prompts.failing, checkpoint_count: 0 })
  expect(await rewindPoints(stage)).toHaveLength(points)
  expect(repo.log().filter(({ level }) => level !== 'INFO')).toEqual([])
  expect(model.unknown).toEqual([])
})
