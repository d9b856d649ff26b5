import { expect, test } from 'bun:test'
import { ages } from '../../test/support/foreign-ages.ts'
import { foreignRepo } from '../../test/support/foreign-repo.ts'
import { openObjectReader } from '../git/cat-file.ts'
import { totalTokens } from '../model/tokens.ts'
import { given } from '../std/given.ts'
import {
  findCheckpointIds,
  listCheckpoints,
  readCheckpoint,
  readStoredPrompts,
  readTranscript,
} from './read.ts'

test.each(Object.entries(ages))('%s', async (_name, age) => {
  await using repo = await foreignRepo()
  for (const [ref, files] of Object.entries(age.trees)) await repo.put(ref, files)
  await using objects = openObjectReader(repo.repo)
  const checkpoint = await readCheckpoint(objects, age.checkpoint)
  expect(await listCheckpoints(repo.repo, objects)).toEqual([checkpoint!])
  expect(await findCheckpointIds(repo.repo, objects, age.checkpoint.slice(0, 5).toLowerCase())).toEqual([
    age.checkpoint,
  ])
  expect(checkpoint).toMatchObject({
    checkpoint: age.checkpoint,
    files: age.files,
    sessionCount: age.sessions.length,
  })
  expect(checkpoint?.tokens && totalTokens(checkpoint.tokens)).toEqual(age.tokens)
  const sessions = checkpoint!.sessions.map(async (session) => ({
    id: session.session,
    ...given({ agent: session.agent }),
    prompts: await readStoredPrompts(objects, session),
  }))
  expect(await Promise.all(sessions)).toEqual(age.sessions)
  expect(checkpoint!.sessions.every((session) => session.checkpoint === age.checkpoint)).toBe(true)
  expect((await readTranscript(objects, checkpoint!.sessions.at(-1)!))?.toString()).toEqual(age.transcript)
})

test('branches full of garbage contain no checkpoints and cause no failure', async () => {
  await using repo = await foreignRepo()
  const empty = await repo.git('commit-tree', '-m', 'empty', await repo.git('mktree'))
  const blob = await repo.git('hash-object', '-w', 'README.md')
  await using objects = openObjectReader(repo.repo)
  for (const target of [empty, await repo.head(), `${await repo.head()}^{tree}`, blob]) {
    await repo.git('update-ref', 'refs/remotes/origin/entire/checkpoints/v1', target)
    await repo.git('update-ref', 'refs/entire/checkpoints/f7/a3b2c4d5e6f7', target)
    expect(await listCheckpoints(repo.repo, objects)).toEqual([])
    expect(await readCheckpoint(objects, 'a3b2c4d5e6f7')).toBeUndefined()
  }
})

test.each([
  '',
  '..',
  '../..',
  'HEAD',
  'a3b2c4d5e6f',
  'a3b2c4d5e6f7:',
  '--all',
  'a3b2c4d5e6f7\n',
  'A3B2C4D5E6F7',
])('%j is not an id and is not searched for', async (id) => {
  await using repo = await foreignRepo()
  await repo.put('refs/heads/entire/checkpoints/v1', {
    'a3/b2c4d5e6f7/metadata.json': {},
    [`${id}x/metadata.json`]: {},
  })
  await using objects = openObjectReader(repo.repo)
  expect(await readCheckpoint(objects, id)).toBeUndefined()
})

test('a transcript with a missing chunk is an error, not a shorter transcript', async () => {
  await using repo = await foreignRepo()
  const { trees, checkpoint } = ages['metadata and transcripts apart']!
  for (const [ref, files] of Object.entries(trees)) await repo.put(ref, files)
  const current = 'refs/entire/checkpoints/v2/full/current'
  await repo.put(current, { 'a3/b2c4d5e6f7/0/raw_transcript.001': 'the lost chunk' })
  await repo.lose(`${current}:a3/b2c4d5e6f7/0/raw_transcript.001`)
  await using objects = openObjectReader(repo.repo)
  const stored = await readCheckpoint(objects, checkpoint)
  expect(readTranscript(objects, stored!.sessions[0]!)).rejects.toMatchObject({ code: 'transcript-missing' })
})
