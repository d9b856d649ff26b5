// Replays captured sessions of Qwen Code, through its plugin, from the first turn to a session resumed on
// another machine.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ExternalRepo, repoWithPlugins } from '../support/external-repo.ts'
import { buildPlugin } from '../support/plugin-build.ts'
import { replay } from '../support/replay.ts'
import { otherMachine, pushAll } from '../support/resumable.ts'

setDefaultTimeout(60_000)

async function qwenRepo(): Promise<ExternalRepo> {
  const repo = await repoWithPlugins()
  await buildPlugin(
    resolve(import.meta.dir, '../../samples/agents/qwen/entire-agent-qwen.ts'),
    repo.bin,
    'bun',
  )
  // The plugin detects Qwen Code by its settings.
  mkdirSync(join(repo.base, 'home', '.qwen'), { recursive: true })
  const enabled = await repo.entire(['enable', '--agent', 'qwen'])
  if (enabled.code !== 0) throw new Error(enabled.err)
  await repo.commitAs('human', 'begin')
  await repo.git('switch', '--quiet', '-c', 'feature')
  return repo
}

test('three runs (create, edit, commit) are one session with a step for each turn and one checkpoint', async () => {
  await using repo = await qwenRepo()
  const begin = await repo.head()
  const create = replay(repo, 'qwen/run1-create')
  await create.rest()
  expect(repo.state(create.session)).toMatchObject({
    phase: 'idle',
    agent_type: 'Qwen Code',
    checkpoint_count: 1,
  })
  await replay(repo, 'qwen/run2-resume-edit').rest()
  expect(await repo.subjects(repo.shadow(begin))).toEqual(['Edit hello.txt', 'Create hello.txt'])
  await replay(repo, 'qwen/run3-commit-continue').rest()
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    agent: 'Qwen Code',
    files_touched: ['hello.txt'],
    model: 'mock-model',
    // The last answer came after the commit, in the same turn.
    token_usage: { api_call_count: 7 },
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe(
    'create hello.txt\n\n---\n\nedit hello.txt\n\n---\n\ncommit the work',
  )
  expect(await repo.transcript(id)).toBe(readFileSync(create.transcript, 'utf8'))
  const explained = await repo.entire(['explain', '-c', id, '--full'])
  expect(explained.out).toContain('Agent: Qwen Code')
  expect(explained.out).toContain('Changed the greeting in hello.txt.')
})

test('a rewind restores the file and the conversation of a turn', async () => {
  await using repo = await qwenRepo()
  const { transcript } = replay(repo, 'qwen/run1-create')
  await replay(repo, 'qwen/run1-create').rest()
  const [file, conversation] = [repo.read('hello.txt'), readFileSync(transcript, 'utf8')]
  await replay(repo, 'qwen/run2-resume-edit').rest()
  expect(repo.read('hello.txt')).not.toBe(file)
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    id: string
    message: string
  }[]
  const first = points.find(({ message }) => message === 'Create hello.txt')
  expect(await repo.entire(['rewind', '--to', first?.id ?? ''])).toMatchObject({ code: 0 })
  expect(repo.read('hello.txt')).toBe(file)
  expect(readFileSync(transcript, 'utf8')).toBe(conversation)
})

test('the session is resumed on another machine, where Qwen Code looks for it', async () => {
  await using repo = await qwenRepo()
  const create = replay(repo, 'qwen/run1-create')
  await create.rest()
  await repo.commitAs('human', 'hello', 'hello.txt')
  await repo.git('branch', '--quiet', '--force', 'main')
  const machine = await otherMachine(repo, await pushAll(repo), '--branch', 'feature')
  const refused = await machine.entire('resume')
  expect(refused.err).toContain(
    'was skipped: its agent (Qwen Code) is not known here. If it has a plugin, put that on',
  )
  mkdirSync(join(machine.home, '.qwen'), { recursive: true })
  expect(await machine.entire('enable', '--agent', 'qwen')).toMatchObject({ code: 0 })
  const resumed = await machine.entire('resume')
  expect(resumed).toMatchObject({ code: 0, err: expect.stringContaining(`qwen --resume ${create.session}`) })
  const there = join(
    machine.home,
    '.qwen/projects',
    machine.root.replace(/[^A-Za-z0-9]/g, '-'),
    'chats',
    `${create.session}.jsonl`,
  )
  expect(readFileSync(there, 'utf8')).toBe(readFileSync(create.transcript, 'utf8'))
})
