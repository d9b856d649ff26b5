// Replays captured sessions of Gemini CLI, through the installed hooks, in a real repository.
import { expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { replay } from '../support/replay.ts'

const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')

async function ready(): Promise<RecordedRepo> {
  const repo = await recordedRepo({ agent: 'gemini' })
  await repo.commit('set up')
  return repo
}

test('the stub that a resume names first is not used as the transcript', async () => {
  await using repo = await ready()
  const shadow = repo.shadow(await repo.head())
  const create = replay(repo, 'gemini/run1-create')
  const { session } = create
  await create.to('017-AfterAgent')
  expect(repo.state(session)).toMatchObject({
    phase: 'idle',
    agent_type: 'Gemini CLI',
    model_name: 'gemini-2.5-flash',
    checkpoint_count: 1,
    files_touched: ['hello.txt'],
    first_prompt: 'create hello.txt',
  })
  expect(await repo.subjects(shadow)).toEqual(['Create hello.txt'])
  // The answer comes from the transcript: the one in the payload is garbled.
  expect(await repo.git('show', `${shadow}:.entire/metadata/${session}/summary.txt`)).toBe(
    'Created hello.txt with a greeting.',
  )
  await create.rest()
  expect(repo.state(session).phase).toBe('ended')

  const edit = replay(repo, 'gemini/run2-resume-edit')
  await edit.to('001-SessionStart')
  expect(repo.state(session)).toMatchObject({ phase: 'idle', transcript_path: create.transcript })
  await edit.to('023-AfterAgent')
  expect(repo.state(session)).toMatchObject({
    phase: 'idle',
    transcript_path: create.transcript,
    checkpoint_count: 2,
    session_turn_count: 2,
  })
  expect(await repo.subjects(shadow)).toEqual(['Edit hello.txt', 'Create hello.txt'])
  await edit.rest()

  // The next start of the agent deletes both files of a resumed session; what was stored stays.
  const spoken = lines(create.transcript)
  rmSync(create.transcript)
  await repo.commitAs('human', 'hello', 'hello.txt')
  const id = await repo.checkpointOf()
  expect(await repo.transcriptLines(id)).toEqual(spoken)
  expect(await repo.stored(id, '0/prompt.txt')).toBe('create hello.txt\n\n---\n\nedit hello.txt')
  expect(await repo.storedSession(id)).toMatchObject({
    agent: 'Gemini CLI',
    checkpoints_count: 2,
    files_touched: ['hello.txt'],
    token_usage: { api_call_count: 5 },
  })
  expect(repo.log().filter((line) => line.level === 'ERROR')).toEqual([])
})

test('tokens count once for each message: input without cached tokens, thoughts as output', async () => {
  await using repo = await ready()
  const run = replay(repo, 'gemini/run1-create')
  await run.rest()
  const messages = new Map(
    lines(run.transcript)
      .map((line) => JSON.parse(line) as { id?: string; tokens?: Record<string, number> })
      .filter(({ id, tokens }) => id !== undefined && tokens !== undefined)
      .map(({ id, tokens }) => [id, tokens as Record<string, number>]),
  )
  const sum = (count: (tokens: Record<string, number>) => number) =>
    [...messages.values()].reduce((total, tokens) => total + count(tokens), 0)
  expect(repo.state(run.session).token_usage).toEqual({
    input_tokens: sum(({ input = 0, cached = 0, tool = 0 }) => input - cached + tool),
    cache_creation_tokens: 0,
    cache_read_tokens: sum(({ cached = 0 }) => cached),
    output_tokens: sum(({ output = 0, thoughts = 0 }) => output + thoughts),
    api_call_count: messages.size,
  })
})

test('the session of a subagent is not recorded as a session', async () => {
  await using repo = await ready()
  const run = replay(repo, 'gemini/run10-subagent')
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 0,
    first_prompt: 'delegate it',
    last_prompt: 'delegate it',
  })
  expect(await repo.shadows()).toEqual([])
})

for (const scenario of ['gemini/run3-commit', 'gemini/run9-commit-githooks']) {
  test(`a commit made with git hooks switched off is linked by a note when the turn ends (${scenario})`, async () => {
    await using repo = await ready()
    const before = await repo.head()
    const work = replay(repo, 'gemini/run1-create')
    await work.rest()
    const run = replay(repo, scenario)
    const afterAgent = scenario === 'gemini/run3-commit' ? '016-AfterAgent' : '007-AfterAgent'
    const afterTool = scenario === 'gemini/run3-commit' ? '010-AfterTool' : '005-AfterTool'
    await run.to(afterTool)
    const commit = await repo.head()
    expect(commit).not.toBe(before)
    // Entire's hooks did not run, and the commit is never rewritten.
    expect(await repo.message()).toBe('Add hello.txt\n')
    expect(await repo.refs('refs/notes/')).toEqual([])
    await run.to(afterAgent)
    expect(await repo.head()).toBe(commit)
    const note = await repo.git('notes', '--ref=entire-checkpoints', 'show', 'HEAD')
    const id = /^Entire-Checkpoint: ([0-9a-f]{12})$/m.exec(note)?.[1] as string
    expect(JSON.parse(await repo.stored(id, 'metadata.json'))).toMatchObject({
      files_touched: ['hello.txt'],
      branch: 'main',
    })
    const slots = await Promise.all(
      JSON.parse(await repo.stored(id, 'metadata.json')).sessions.map((_: unknown, slot: number) =>
        repo.storedSession(id, slot),
      ),
    )
    const creator = slots.findIndex((slot) => slot.session_id === work.session)
    expect(slots[creator]).toMatchObject({
      agent: 'Gemini CLI',
      files_touched: ['hello.txt'],
      checkpoints_count: 1,
    })
    expect(await repo.transcriptLines(id, creator)).toEqual(lines(work.transcript))
    expect(repo.state(work.session).files_touched).toBeUndefined()
    expect(await repo.shadows()).toEqual([])
    // Ending the session, or another turn, does not link it again.
    await run.rest()
    expect(await repo.subjects('refs/notes/entire-checkpoints')).toHaveLength(1)
  })
}

test('the checkpoint of a commit made with git hooks switched off has the whole turn', async () => {
  await using repo = await ready()
  const run = replay(repo, 'gemini/run1-create')
  await run.to('011-AfterTool')
  await repo.run([
    'sh',
    '-c',
    'git add -A && git -c core.hooksPath=/dev/null commit --quiet -m "Add hello.txt"',
  ])
  expect(await repo.checkpointsOf()).toEqual([])
  await run.to('017-AfterAgent')
  const note = await repo.git('notes', '--ref=entire-checkpoints', 'show', 'HEAD')
  const id = /^Entire-Checkpoint: ([0-9a-f]{12})$/m.exec(note)?.[1] as string
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: run.session,
    files_touched: ['hello.txt'],
    token_usage: { api_call_count: 2 },
  })
  expect(await repo.transcriptLines(id)).toEqual(lines(run.transcript))
  expect(await repo.stored(id, '0/prompt.txt')).toBe('create hello.txt')
  expect(repo.state(run.session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 0,
    base_commit: await repo.head(),
  })
  expect(repo.state(run.session).files_touched).toBeUndefined()
  expect(await repo.shadows()).toEqual([])
})
