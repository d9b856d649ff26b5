import { expect, test } from 'bun:test'
import { putCommit } from '../../test/support/put-commit.ts'
import { tempRepo } from '../../test/support/repo.ts'
import { openObjectReader } from '../git/cat-file.ts'
import { ownRef, remoteMetadataRef } from './copies.ts'
import { metadataRef } from './layout.ts'
import { prefetchRoots, readCheckpointHeads } from './list.ts'

const session = (id: string, more: object = {}) => ({
  session_id: id,
  created_at: '2026-01-01T00:00:00Z',
  agent: 'Claude Code',
  ...more,
})
const ulid = '01HZXK3V9Q8W7E6R5T4Y3J2H1G'

test('heads match the whole checkpoints, wherever they are stored and however old', async () => {
  await using temp = await tempRepo()
  await putCommit(temp.repo, remoteMetadataRef, {
    files: {
      'aa/aaaaaaaaaa/metadata.json': { sessions: [{}] },
      'aa/aaaaaaaaaa/0/metadata.json': session('older copy'),
      'bb/bbbbbbbbbb/metadata.json': { sessions: [{}] },
      'bb/bbbbbbbbbb/0/metadata.json': session('remote'),
    },
  })
  await putCommit(temp.repo, metadataRef, {
    files: {
      'aa/aaaaaaaaaa/metadata.json': { sessions: [{}] },
      'aa/aaaaaaaaaa/0/metadata.json': session('simple', { is_task: true }),
      'aa/aaaaaaaaaa/0/prompt.txt': 'first\n\n---\n\nsecond',
      'cc/cccccccccc/metadata.json': { sessions: [{}, {}] },
      'cc/cccccccccc/0/metadata.json': session('one'),
      'cc/cccccccccc/1/metadata.json': session('two', { agent: 'Gemini CLI' }),
      'cc/cccccccccc/1/prompt.txt': 'of two',
      'dd/dddddddddd/metadata.json': { ...session('at the top'), agents: ['Agent'], agent: undefined },
      'ee/eeeeeeeeee/metadata.json': '{ broken',
      'ee/eeeeeeeeee/0/metadata.json': '{ broken',
    },
  })
  await putCommit(temp.repo, ownRef(ulid), {
    files: { 'metadata.json': { sessions: [{}] }, '0/metadata.json': session('own'), '0/prompt.txt': 'hi' },
  })
  await using objects = openObjectReader(temp.repo)
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => letter.repeat(12))
  expect(
    Object.fromEntries(
      (await readCheckpointHeads(temp.repo, objects, prefetchRoots(objects), [...ids, ulid])).heads,
    ),
  ).toEqual({
    aaaaaaaaaaaa: { sessions: ['simple'], agent: 'Claude Code', isTask: true, prompt: 'first' },
    bbbbbbbbbbbb: { sessions: ['remote'], agent: 'Claude Code', isTask: false },
    cccccccccccc: { sessions: ['one', 'two'], agent: 'Gemini CLI', isTask: false, prompt: 'of two' },
    dddddddddddd: { sessions: ['at the top'], agent: 'Agent', isTask: false },
    [ulid]: { sessions: ['own'], agent: 'Claude Code', isTask: false, prompt: 'hi' },
  })
})

test('a repository without checkpoints has no heads', async () => {
  await using temp = await tempRepo()
  await using objects = openObjectReader(temp.repo)
  expect(
    (await readCheckpointHeads(temp.repo, objects, prefetchRoots(objects), ['aaaaaaaaaaaa', ulid])).heads,
  ).toEqual(new Map())
})
