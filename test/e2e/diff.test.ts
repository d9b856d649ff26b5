// Shows what a turn did: between the steps around it, or in the commit of its checkpoint.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { stepOf } from '../support/rewind-points.ts'

async function twoTurns(): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  repo.write('.gitignore', '.claude/\n')
  repo.write('a.txt', 'one\n')
  await repo.commitAs('human', 'setup')
  const agent = fakeAgent(repo)
  await agent.turn('first', { 'a.txt': 'two\n' })
  await agent.turn('second', { 'b.txt': 'new\n', 'dir/c d.txt': 'with a space\n' })
  return repo
}

const diff = async (repo: RecordedRepo, ...args: string[]) => {
  const { code, out, err } = await repo.entire(['diff', ...args])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}

test('without an argument: the last turn, and nothing of the program', async () => {
  await using repo = await twoTurns()
  expect(await diff(repo, '--name-only')).toBe('b.txt\ndir/c d.txt\n')
  const patch = await diff(repo)
  expect(patch).toContain('+new\n')
  expect(patch).not.toContain('-one')
  expect(patch).not.toContain('.entire')
  expect(await diff(repo, '--stat')).toContain('2 files changed, 2 insertions(+)')
})

test('a step by its id, also from a subdirectory, and only some of its files', async () => {
  await using repo = await twoTurns()
  const first = await stepOf(repo, 'First')
  expect(await diff(repo, first.slice(0, 8))).toContain('-one\n+two\n')
  const { out } = await repo.entire(['diff', '--name-only'], { cwd: `${repo.root}/dir` })
  expect(out).toBe('b.txt\ndir/c d.txt\n')
})

test('a checkpoint: what the agent changed in its commit', async () => {
  await using repo = await twoTurns()
  repo.write('mine.txt', 'of the person\n')
  await repo.commitAs('human', 'both')
  const id = await repo.checkpointOf()
  expect(await diff(repo, id, '--name-only')).toBe('a.txt\nb.txt\ndir/c d.txt\n')
  expect(await diff(repo, 'HEAD', '--name-only')).toBe('a.txt\nb.txt\ndir/c d.txt\n')
  // The last turn is in the last commit now.
  expect(await diff(repo, '--name-only')).toBe('a.txt\nb.txt\ndir/c d.txt\n')
})

test('--json lists the files with their lines', async () => {
  await using repo = await twoTurns()
  const last = JSON.parse(await diff(repo, '--json'))
  expect(last).toMatchObject({
    files: [
      { path: 'b.txt', status: 'added', added: 1, removed: 0 },
      { path: 'dir/c d.txt', status: 'added', added: 1, removed: 0 },
    ],
  })
  expect(await repo.git('cat-file', '-t', last.after)).toBe('commit')
})

test('errors say what to do', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  expect(await repo.entire(['diff'])).toMatchObject({
    code: 1,
    err: 'error: No turn has been recorded here yet.\nhint: `entire status` shows what is being recorded.\n',
  })
  expect(await repo.entire(['diff', 'nonsense'])).toMatchObject({ code: 1, out: '' })
  expect(await repo.entire(['diff', 'HEAD'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('has no checkpoint'),
  })
  expect(await repo.entire(['diff', '--stat', '--json'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--stat and --json cannot be used together'),
  })
})
