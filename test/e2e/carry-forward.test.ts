// Commits only a part of a session's work: the rest stays with the session, so that the next commit gets its
// own checkpoint.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

const line = (name: string) => `export const ${name} = '${name}'\n`

test('files of one turn committed one by one while the turn runs get a checkpoint each', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a, b and c')
  for (const name of ['a', 'b', 'c']) agent.write(`${name}.ts`, line(name))
  await repo.commitAs('human', 'a', 'a.ts')
  const a = await repo.checkpointOf()
  await repo.commitAs('human', 'b', 'b.ts')
  const b = await repo.checkpointOf()
  expect(b).not.toBe(a)
  expect((await repo.storedSession(a)).files_touched).toEqual(['a.ts'])
  expect((await repo.storedSession(b)).files_touched).toEqual(['b.ts'])

  agent.say('Done.')
  await agent.stop()
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', files_touched: ['c.ts'] })
  await repo.commitAs('human', 'c', 'c.ts')
  const c = await repo.checkpointOf()
  expect((await repo.storedSession(c)).files_touched).toEqual(['c.ts'])
  expect(repo.state(agent.session).files_touched).toBeUndefined()
  expect(await repo.shadows()).toEqual([])
})

test('files of a finished turn committed one by one get a checkpoint each, with the whole transcript, from idle and from ended', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a, b and c', { 'a.ts': line('a'), 'b.ts': line('b'), 'c.ts': line('c') })
  const ids: string[] = []
  for (const [name, left] of [
    ['a', ['b.ts', 'c.ts']],
    ['b', ['c.ts']],
  ] as const) {
    const head = await repo.commitAs('human', name, `${name}.ts`)
    ids.push(await repo.checkpointOf())
    expect(await repo.shadows()).toEqual([repo.shadow(head)])
    expect(await repo.subjects(repo.shadow(head))).toEqual(['carry forward: uncommitted session files'])
    // The carried step has the prompt of the session.
    const [step] = JSON.parse((await repo.entire(['rewind', '--list'])).out)
    expect(step).toMatchObject({
      message: 'carry forward: uncommitted session files',
      session_prompt: 'write a, b and c',
    })
    expect((await repo.entire(['explain', '--no-pager'])).out).toContain('[step] "write a, b and c"\n')
    expect(repo.state(agent.session)).toMatchObject({
      base_commit: head,
      files_touched: left,
      checkpoint_count: 1,
    })
    expect(repo.state(agent.session).last_checkpoint_id).toBeUndefined()
  }

  await agent.end()
  await repo.commitAs('human', 'c', 'c.ts')
  ids.push(await repo.checkpointOf())
  expect(new Set(ids).size).toBe(3)
  for (const id of ids) expect(await repo.transcriptLines(id)).toEqual(agent.lines())
  for (const id of ids) expect(await repo.stored(id, '0/prompt.txt')).toBe('write a, b and c')
  expect(await repo.shadows()).toEqual([])
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 0,
    fully_condensed: true,
    last_checkpoint_id: ids.at(-1),
  })
})

test('a file of which only one part was staged stays with the session until the rest is committed', async () => {
  await using repo = await recordedRepo()
  repo.write('list.txt', `${Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n')}\n`)
  await repo.commit('list', 'list.txt')
  const base = repo.read('list.txt')
  const whole = base
    .replace('line 2\n', 'line two by the agent\n')
    .replace('line 17\n', 'line seventeen by the agent\n')
  const agent = fakeAgent(repo)
  await agent.turn('edit the list', { 'list.txt': whole })

  // What `git add -p` does: the first hunk in the index, both in the work tree.
  repo.write('list.txt', base.replace('line 2\n', 'line two by the agent\n'))
  await repo.git('add', 'list.txt')
  repo.write('list.txt', whole)
  await repo.gitAs('human', ['commit', '--quiet', '-m', 'first half'])
  const first = await repo.checkpointOf()
  expect(repo.state(agent.session)).toMatchObject({ files_touched: ['list.txt'], checkpoint_count: 1 })
  await repo.commitAs('human', 'second half', 'list.txt')
  const second = await repo.checkpointOf()
  expect(second).not.toBe(first)
  expect(repo.state(agent.session).files_touched).toBeUndefined()
})

test('a deletion by the agent is work too: committed later, it gets its checkpoint', async () => {
  await using repo = await recordedRepo()
  repo.write('old.ts', line('old'))
  repo.write('kept.ts', line('kept'))
  await repo.commit('before', 'old.ts', 'kept.ts')
  const agent = fakeAgent(repo)
  await agent.prompt('drop the old file')
  agent.write('kept.ts', `${line('kept')}${line('more')}`)
  repo.remove('old.ts')
  agent.say('Dropped.')
  await agent.stop()
  expect(repo.state(agent.session).files_touched).toEqual(['kept.ts', 'old.ts'])
  expect(await repo.paths((await repo.shadows())[0] as string)).not.toContain('old.ts')

  await repo.commitAs('human', 'edit', 'kept.ts')
  await repo.checkpointOf()
  expect(repo.state(agent.session).files_touched).toEqual(['old.ts'])
  await repo.commitAs('human', 'deletion', 'old.ts')
  expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toEqual(['old.ts'])
  expect(repo.state(agent.session).files_touched).toBeUndefined()
})

test('a new prompt that edits a file carried forward updates the content that its next commit is compared with', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a and b', { 'a.ts': line('a'), 'b.ts': 'the first version of b, long enough\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  await agent.turn('write b anew', { 'b.ts': 'something entirely different this time\n' })
  const head = await repo.head()
  expect(await repo.git('show', `${repo.shadow(head)}:b.ts`)).toBe('something entirely different this time')
  await repo.commitAs('human', 'b', 'b.ts')
  const id = await repo.checkpointOf()
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write a and b\n\n---\n\nwrite b anew')
  expect(repo.state(agent.session).files_touched).toBeUndefined()
})

test('several turns before one commit make one checkpoint that counts their steps and holds all their prompts', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('first part', { 'a.ts': line('a') })
  await agent.turn('second part', { 'b.ts': line('b') })
  repo.write('notes.md', 'by hand\n')
  await repo.commitAs('human', 'notes', 'notes.md')
  expect(await repo.checkpointsOf()).toEqual([])
  await agent.turn('third part', { 'a.ts': `${line('a')}${line('more')}` })
  await repo.commitAs('human', 'parts', 'a.ts', 'b.ts')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    checkpoints_count: 3,
    files_touched: ['a.ts', 'b.ts'],
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('first part\n\n---\n\nsecond part\n\n---\n\nthird part')
  expect((await repo.stored(id, '0/context.md')).match(/### Prompt \d/g)).toEqual([
    '### Prompt 1',
    '### Prompt 2',
    '### Prompt 3',
  ])
  expect(await repo.transcriptLines(id)).toEqual(agent.lines())

  // The next checkpoint covers what came after, and has the whole transcript.
  await agent.turn('fourth part', { 'c.ts': line('c') })
  await repo.commitAs('human', 'fourth', 'c.ts')
  const next = await repo.checkpointOf()
  expect(await repo.storedSession(next)).toMatchObject({
    checkpoints_count: 1,
    files_touched: ['c.ts'],
    token_usage: { api_call_count: 2 },
  })
  expect(await repo.stored(next, '0/prompt.txt')).toBe('fourth part')
  expect(await repo.transcriptLines(next)).toEqual(agent.lines())
})

test('the second checkpoint of a split commit shows its own turn, not the session', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('old work', { 'old.ts': line('old') })
  await repo.commitAs('human', 'old', 'old.ts')
  const start = agent.lines().length
  await agent.turn('write a and b', { 'a.ts': line('a'), 'b.ts': line('b') })
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    checkpoint_transcript_start: start,
    token_usage: { api_call_count: 3 },
  })
  await repo.commitAs('human', 'b', 'b.ts')
  const id = await repo.checkpointOf()
  const stored = await repo.storedSession(id)
  expect(stored).toMatchObject({ checkpoint_transcript_start: start, files_touched: ['b.ts'] })
  // Each call counts once.
  expect(stored.token_usage).toBeUndefined()
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write a and b')
  expect(await repo.transcriptLines(id)).toEqual(agent.lines())
  const { out } = await repo.entire(['explain', '--no-pager', '--commit', 'HEAD'])
  expect(out).toContain('Intent: write a and b\n')
  expect(out).not.toContain('old work')
})

test('of turns that are committed one by one, each checkpoint has its own prompt, tokens and range', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  const start = agent.lines().length
  await agent.turn('write b and c', { 'b.ts': line('b'), 'c.ts': line('c') })
  await agent.turn('extend c', { 'c.ts': `${line('c')}${line('cc')}` })
  await repo.commitAs('human', 'a', 'a.ts')
  const first = await repo.checkpointOf()
  expect(await repo.stored(first, '0/prompt.txt')).toBe('write a')
  expect(await repo.storedSession(first)).toMatchObject({ token_usage: { api_call_count: 2 } })
  await repo.commitAs('human', 'b', 'b.ts')
  const second = await repo.checkpointOf()
  expect(await repo.stored(second, '0/prompt.txt')).toBe('write b and c')
  expect(await repo.storedSession(second)).toMatchObject({
    checkpoint_transcript_start: start,
    token_usage: { api_call_count: 3 },
  })
  expect((await repo.entire(['explain', '--no-pager', '--commit', 'HEAD'])).out).toContain(
    'Intent: write b and c\n',
  )
  await repo.commitAs('human', 'c', 'c.ts')
  const third = await repo.checkpointOf()
  expect(await repo.stored(third, '0/prompt.txt')).toBe('write b and c\n\n---\n\nextend c')
  expect(await repo.storedSession(third)).toMatchObject({
    checkpoint_transcript_start: start,
    token_usage: { api_call_count: 2 },
  })
  // What comes next begins anew.
  await agent.turn('write d', { 'd.ts': line('d') })
  await repo.commitAs('human', 'd', 'd.ts')
  const last = await repo.checkpointOf()
  expect(await repo.stored(last, '0/prompt.txt')).toBe('write d')
  expect(repo.state(agent.session).turns).toBeUndefined()
})
