import { expect, test } from 'bun:test'
import { type TempRepo, tempRepo } from '../../test/support/repo.ts'
import { queueForPush } from './queue.ts'
import { countUnpushed, dependsOnBranch, electRemote } from './unpushed.ts'

test.each([
  ['nothing', [], {}, undefined],
  ['the only one', ['up'], {}, { remote: 'up', source: 'sole' }],
  ['origin', ['up', 'origin'], {}, { remote: 'origin', source: 'default' }],
  ['the first of several', ['up', 'down'], {}, { remote: 'up', source: 'first' }],
  [
    'what the branch says',
    ['origin', 'up'],
    { 'branch.main.remote': 'up' },
    { remote: 'up', source: 'observed' },
  ],
  [
    'what all pushes do',
    ['origin', 'up'],
    { 'branch.main.remote': 'down', 'remote.pushdefault': 'up' },
    { remote: 'up', source: 'observed' },
  ],
  [
    'what the branch says about pushes',
    ['origin', 'up'],
    { 'branch.main.pushremote': 'up', 'remote.pushdefault': 'x' },
    { remote: 'up', source: 'observed' },
  ],
  [
    'not what another branch says',
    ['origin', 'up'],
    { 'branch.x.pushremote': 'up' },
    { remote: 'origin', source: 'default' },
  ],
  [
    'not what does not exist',
    ['origin'],
    { 'remote.pushdefault': 'gone' },
    { remote: 'origin', source: 'default' },
  ],
] as const)('checkpoints go where a push goes: %s', (_name, remotes, pushKeys, expected) => {
  const config = { remotes: [...remotes], pushKeys: pushKeys as Record<string, string> }
  expect(electRemote(config, 'main')).toEqual(expected as ReturnType<typeof electRemote>)
})

test('the branch matters only when branches are configured', () => {
  expect(dependsOnBranch({ remotes: [], pushKeys: { 'remote.pushdefault': 'a' } })).toBe(false)
  expect(dependsOnBranch({ remotes: [], pushKeys: { 'branch.a.pushremote': 'a' } })).toBe(true)
})

async function checkpoint(
  temp: TempRepo,
  ref: string,
  parent: string | undefined,
  subject: string,
): Promise<string> {
  const tree = await temp.git('hash-object', '-w', '-t', 'tree', '/dev/null')
  const oid = await temp.git(
    'commit-tree',
    tree,
    ...(parent === undefined ? [] : ['-p', parent]),
    '-m',
    subject,
  )
  await temp.git('update-ref', ref, oid)
  return oid
}

test('counts checkpoints, not commits, and only those that the remote lacks', async () => {
  await using temp = await tempRepo()
  const ref = 'refs/heads/entire/checkpoints/v1'
  const target = { remote: 'origin' }
  expect(await countUnpushed(temp.repo, target)).toBe(0)
  const first = await checkpoint(temp, ref, undefined, 'Initialize metadata branch')
  const second = await checkpoint(temp, ref, first, 'Checkpoint: aaaaaaaaaaaa')
  const third = await checkpoint(temp, ref, second, 'Checkpoint: bbbbbbbbbbbb')
  await checkpoint(temp, ref, third, 'Finalize transcript for Checkpoint: bbbbbbbbbbbb')
  expect(await countUnpushed(temp.repo, target)).toBe(2)
  await temp.git('update-ref', 'refs/remotes/origin/entire/checkpoints/v1', second)
  expect(await countUnpushed(temp.repo, target)).toBe(1)
  expect(await countUnpushed(temp.repo, { remote: 'https://x', tracking: 'url-1' })).toBe(2)
  await temp.git('update-ref', 'refs/entire-remotes/url-1/heads/entire/checkpoints/v1', third)
  expect(await countUnpushed(temp.repo, { remote: 'https://x', tracking: 'url-1' })).toBe(1)
  queueForPush(temp.repo, '01ARZ3NDEKTSV4RRFFQ69G5FAV')
  expect(await countUnpushed(temp.repo, target)).toBe(2)
})
