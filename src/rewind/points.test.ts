import { expect, test } from 'bun:test'
import { putCommit } from '../../test/support/put-commit.ts'
import { type TempRepo, tempRepo } from '../../test/support/repo.ts'
import { metadataRef, shadowRef } from '../checkpoints/layout.ts'
import { openObjectReader } from '../git/cat-file.ts'
import type { Session } from '../model/session.ts'
import { readRewindPoints } from './points.ts'

const id = 'a3b2c4d5e6f7'
const later = 4_000_000_000

function state(id: string, baseCommit: string, worktreeId = ''): Session {
  return { id, baseCommit, worktreeId } as Session
}

async function points(temp: TempRepo, sessions: Session[]) {
  await using objects = openObjectReader(temp.repo)
  return await readRewindPoints(temp.repo, objects, {
    strategy: 'manual-commit',
    findSession: (wanted) => sessions.find(({ id }) => id === wanted),
  })
}

async function putCheckpoint(
  temp: TempRepo,
  id: string,
  session: string,
  createdAt = '2026-01-01T00:00:00Z',
) {
  const dir = `${id.slice(0, 2)}/${id.slice(2)}`
  await putCommit(temp.repo, metadataRef, {
    files: {
      [`${dir}/metadata.json`]: { checkpoint_id: id, sessions: [{}] },
      [`${dir}/0/metadata.json`]: { session_id: session, created_at: createdAt },
      [`${dir}/0/prompt.txt`]: `prompt of ${session} ${'x'.repeat(60)}`,
    },
  })
}

const trailers = (session: string, dir = `Entire-Metadata: .entire/metadata/${session}`) =>
  `\n\n${dir}\nEntire-Session: ${session}\nEntire-Strategy: manual-commit\n`

test('steps of the sessions at HEAD are points, newest first', async () => {
  await using temp = await tempRepo()
  temp.write('a.txt', 'a')
  const head = await temp.commit('start')
  const ref = shadowRef(head, '')
  const prompt = { '.entire/metadata/s1/prompt.txt': 'add a parser\n\n---\n\nand tests' }
  const one = await putCommit(temp.repo, ref, {
    message: `Add a parser${trailers('s1')}`,
    seconds: later,
    files: prompt,
  })
  const task = await putCommit(temp.repo, ref, {
    message: `Task: x${trailers('s1', 'Entire-Metadata-Task: .entire/metadata/s1/tasks/toolu_1')}`,
    seconds: later + 1,
    files: {},
  })
  await putCommit(temp.repo, ref, {
    message: `Of a session that is gone${trailers('s2')}`,
    seconds: later + 2,
    files: {},
  })

  expect(await points(temp, [state('s1', head), state('s3', 'f'.repeat(40))])).toEqual([
    {
      id: task,
      message: 'Task: x',
      date: expect.any(String),
      metadataDir: '.entire/metadata/s1/tasks/toolu_1',
      isTask: true,
      toolUse: 'toolu_1',
      isLogsOnly: false,
      session: 's1',
      prompt: 'add a parser',
    },
    {
      id: one,
      message: 'Add a parser',
      date: expect.stringMatching(/^2096-/),
      metadataDir: '.entire/metadata/s1',
      isTask: false,
      isLogsOnly: false,
      session: 's1',
      prompt: 'add a parser',
    },
  ])
})

test('steps of another work tree are not points', async () => {
  await using temp = await tempRepo()
  temp.write('a.txt', 'a')
  const head = await temp.commit('start')
  await putCommit(temp.repo, shadowRef(head, 'other'), { message: `Elsewhere${trailers('s1')}`, files: {} })
  expect(await points(temp, [state('s1', head, 'other')])).toEqual([])
})

test('a commit with a stored checkpoint is a point for its logs, linked by trailer or by note', async () => {
  await using temp = await tempRepo()
  await putCheckpoint(temp, id, 's1')
  await putCheckpoint(temp, 'bbbbbbbbbbbb', 's2')
  temp.write('a.txt', 'a')
  const linked = await temp.commit(`first\n\nEntire-Checkpoint: ${id}`)
  temp.write('a.txt', 'b')
  const noted = await temp.commit('second')
  await temp.git('notes', '--ref=entire-checkpoints', 'add', '-m', 'Entire-Checkpoint: bbbbbbbbbbbb', noted)
  temp.write('a.txt', 'c')
  await temp.commit('third\n\nEntire-Checkpoint: cccccccccccc')

  const found = await points(temp, [])
  expect(found.map((point) => point.id).sort()).toEqual([linked, noted].sort())
  expect(found.find((point) => point.id === linked)).toEqual({
    id: linked,
    message: 'first',
    date: expect.any(String),
    metadataDir: '',
    isTask: false,
    isLogsOnly: true,
    checkpoint: id,
    session: 's1',
    prompt: `prompt of s1 ${'x'.repeat(44)}...`,
  })
})

test('of several checkpoints of a squashed commit the newest stands for it', async () => {
  await using temp = await tempRepo()
  await putCheckpoint(temp, id, 's1', '2026-01-02T00:00:00Z')
  await putCheckpoint(temp, 'bbbbbbbbbbbb', 's2', '2026-01-01T00:00:00Z')
  temp.write('a.txt', 'a')
  await temp.commit(`squashed\n\nEntire-Checkpoint: bbbbbbbbbbbb\nEntire-Checkpoint: ${id}`)
  expect(await points(temp, [])).toMatchObject([{ checkpoint: id, session: 's1' }])
})

test('commits that came in by a merge count, and at most twenty points are given', async () => {
  await using temp = await tempRepo()
  await putCheckpoint(temp, id, 's1')
  temp.write('base.txt', 'a')
  await temp.commit('base')
  await temp.git('switch', '-qc', 'side')
  temp.write('side.txt', 'a')
  const side = await temp.commit(`side\n\nEntire-Checkpoint: ${id}`)
  await temp.git('switch', '-q', '-')
  await temp.git('merge', '-q', '--no-ff', '--no-edit', 'side')
  expect((await points(temp, [])).map((point) => point.id)).toEqual([side])
  const head = await temp.head()
  for (let n = 0; n < 25; n += 1)
    await putCommit(temp.repo, shadowRef(head, ''), {
      message: `step ${n}${trailers('s1')}`,
      seconds: later + n,
      files: { n: `${n}` },
    })
  const all = await points(temp, [state('s1', head)])
  expect(all.map((point) => point.message)).toEqual(Array.from({ length: 20 }, (_, n) => `step ${24 - n}`))
})

test('an unborn branch has no points', async () => {
  await using temp = await tempRepo()
  await temp.git('switch', '-q', '--orphan', 'empty')
  expect(await points(temp, [])).toEqual([])
})
