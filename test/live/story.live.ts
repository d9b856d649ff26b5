// Tells the story of every live test in order: a real agent works, and its work is found where users look for
// it.
import { afterAll, expect, test } from 'bun:test'
import { liveAgents } from './agents/index.ts'
import {
  linkedCheckpoint,
  promptsIn,
  resumeCommand,
  rewindPoints,
  steps,
  sumUsage,
  usage,
} from './expected.ts'
import { contents, prompts } from './model/script.ts'
import { type Spent, setStage } from './stage.ts'

const { LIVE_AGENT, LIVE_AGENT_BIN } = process.env
const agent = liveAgents.find(({ name }) => name === LIVE_AGENT)
if (agent === undefined || LIVE_AGENT_BIN === undefined)
  throw new Error('Live tests are run by `npm run test:live`.')
const stage = await setStage(agent, LIVE_AGENT_BIN)
const { repo, model } = stage
const session = (index: number) => stage.sessions()[index]?.session_id ?? ''
const delegates = agent.tools.delegate !== undefined
/** What each session has spent, prompt by prompt. */
const spent: Spent[][] = [[], []]

// The caller removes the repository, because a story that is cut short does not clean up.
afterAll(() => model[Symbol.asyncDispose]())

test('create: a turn that writes a file makes a step, with its prompt and its tokens', async () => {
  spent[0]?.push(await stage.ask(prompts.create))
  expect(repo.read('greeting.txt')).toBe(contents.greeting)
  expect(stage.sessions()).toMatchObject([
    {
      agent_type: agent.type,
      model_name: agent.model,
      first_prompt: prompts.create,
      files_touched: ['greeting.txt'],
      checkpoint_count: 1,
      token_usage: usage(...(spent[0] ?? [])),
    },
  ])
  expect(await rewindPoints(stage)).toMatchObject([
    { session_id: session(0), session_prompt: prompts.create, is_logs_only: false },
  ])
})

test('edit: the agent continues the same session', async () => {
  spent[0]?.push(await stage.ask(prompts.edit, await resumeCommand(stage, session(0))))
  expect(repo.read('greeting.txt')).toBe(contents.friendlier)
  expect(promptsIn(model.exchanges.at(-1))).toEqual([prompts.create, prompts.edit])
  expect(stage.sessions()).toMatchObject([
    {
      last_prompt: prompts.edit,
      session_turn_count: 2,
      checkpoint_count: 2,
      token_usage: usage(...(spent[0] ?? [])),
    },
  ])
})

if (delegates) {
  test('subagent: its file and its tokens are those of the session that sent it', async () => {
    spent[1]?.push(await stage.ask(prompts.delegate))
    expect(repo.read('poem.txt')).toBe(contents.poem)
    expect(stage.sessions()).toHaveLength(2)
    expect(stage.sessions()[1]).toMatchObject({
      first_prompt: prompts.delegate,
      files_touched: ['poem.txt'],
      token_usage: usage(...(spent[1] ?? [])),
    })
    const tasks = (await rewindPoints(stage)).filter((point) => point.is_task_checkpoint)
    expect(tasks.map((task) => task.session_id)).toEqual(agent.taskSteps ? [session(1)] : [])
  })
}

test('commit: the agent’s commit is linked to a checkpoint with everything that led to it', async () => {
  spent[1]?.push(
    await stage.ask(prompts.commit, delegates ? await resumeCommand(stage, session(1)) : undefined),
  )
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
    token_usage: usage(...(spent[0] ?? [])),
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe(`${prompts.create}\n\n---\n\n${prompts.edit}`)
  const transcript = await repo.transcript(id, 0)
  expect(transcript).toContain(prompts.edit)
  expect(transcript).toContain('It is friendlier now.')
  const committer = await repo.storedSession(id, 1)
  expect(committer).toMatchObject({ session_id: session(1), agent: agent.type, model: agent.model })
  // What the turn spent after its last commit is in it as well.
  expect(committer.token_usage).toEqual(usage(...(spent[1] ?? [])))
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
  // What was spent so far is in the checkpoint.
  spent[0] = [await stage.ask(prompts.twoFiles, command?.replace(/ +#.*$/, '').trim())]
  expect(promptsIn(model.exchanges.at(-1))).toEqual([prompts.create, prompts.edit, prompts.twoFiles])
  expect(stage.sessions()[0]).toMatchObject({
    session_turn_count: 3,
    files_touched: ['chapter-1.txt', 'chapter-2.txt'],
  })
})

test('rewind: files and conversation are restored, and files of the user stay', async () => {
  spent[0]?.push(await stage.ask(prompts.shorten, await resumeCommand(stage, session(0))))
  expect(repo.read('chapter-1.txt')).toBe(contents.shorter)
  repo.write('mine.txt', 'mine\n')
  const before = (await rewindPoints(stage)).find((point) => point.message === prompts.twoFiles)
  const rewound = await repo.entire(['rewind', '--to', before?.id ?? ''])
  expect(rewound).toMatchObject({ code: 0 })
  expect([repo.read('chapter-1.txt'), repo.read('chapter-2.txt')]).toEqual([...contents.chapters])
  expect(repo.read('mine.txt')).toBe('mine\n')
  spent[0]?.push(await stage.ask(prompts.failing, await resumeCommand(stage, session(0))))
  expect(promptsIn(model.exchanges.at(-1))).toEqual([
    prompts.create,
    prompts.edit,
    prompts.twoFiles,
    prompts.failing,
  ])
  expect((await repo.entire(['rewind', '--undo'])).code).toBe(0)
  expect(repo.read('chapter-1.txt')).toBe(contents.shorter)
})

test('continue: what was taken back counts, once, with what followed; a command’s edit is the agent’s', async () => {
  spent[0]?.push(await stage.ask(prompts.shell, await resumeCommand(stage, session(0))))
  expect(repo.read('chapter-2.txt')).toBe(contents.longer)
  await repo.commitAs('human', 'Chapters', 'chapter-1.txt', 'chapter-2.txt')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: session(0),
    files_touched: ['chapter-1.txt', 'chapter-2.txt'],
    token_usage: usage(...(spent[0] ?? [])),
  })
})

test('commits in the middle of a turn: every call is in the checkpoint of one of them', async () => {
  const whole = await stage.ask(prompts.halves)
  const first = await linkedCheckpoint(stage, agent.runsGitHooks)
  await repo.commitAs('human', 'Second half', 'half-2.txt')
  const records = await Promise.all([first, await repo.checkpointOf()].map((id) => repo.storedSession(id)))
  expect(records.map((record) => record.files_touched)).toEqual([['half-1.txt'], ['half-2.txt']])
  expect(sumUsage(records.map((record) => record.token_usage))).toEqual(usage(whole))
})

if (agent.survivesInterrupt) {
  test('Esc and a new prompt: the work and the calls of the interrupted turn are recorded', async () => {
    const interrupted = await stage.interrupt(prompts.interrupted)
    const { session_id: id } = stage.sessions().at(-1) ?? { session_id: '' }
    const instead = await stage.ask(prompts.instead, await resumeCommand(stage, id))
    await repo.commitAs('human', 'Draft and final version', 'draft.txt', 'final.txt')
    expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
      session_id: id,
      files_touched: ['draft.txt', 'final.txt'],
      token_usage: usage(interrupted, instead),
      initial_attribution: { agent_percentage: 100 },
    })
  })
}

if (agent.fork !== undefined) {
  test('fork: neither the tokens nor the prompts of its origin are the fork’s', async () => {
    const known = new Set(stage.sessions().map(({ session_id }) => session_id))
    const own = await stage.fork(prompts.fork, await resumeCommand(stage, session(0)))
    await repo.commitAs('human', 'Another way', 'fork.txt')
    const id = await repo.checkpointOf()
    const record = await repo.storedSession(id)
    expect(known).not.toContain(record.session_id)
    expect(record).toMatchObject({ files_touched: ['fork.txt'], token_usage: usage(own) })
    expect(await repo.stored(id, '0/prompt.txt')).toBe(prompts.fork)
    const explained = await repo.entire(['explain', '--checkpoint', id, '--no-pager'])
    expect(explained.out).toContain(`Intent: ${prompts.fork}`)
    expect(explained.out).not.toContain(prompts.create)
  })
}

test('a turn with only a failing command makes no step, and no hook has failed', async () => {
  const points = (await steps(stage)).length
  await stage.ask(prompts.failing)
  expect(stage.sessions().at(-1)).toMatchObject({ first_prompt: prompts.failing, checkpoint_count: 0 })
  expect(await steps(stage)).toHaveLength(points)
  expect(repo.log().filter(({ level }) => level !== 'INFO')).toEqual([])
  expect(model.unknown).toEqual([])
})
