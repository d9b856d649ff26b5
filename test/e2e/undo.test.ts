// Takes back the last turn, or some files of it, and brings it again.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

async function twoTurns(): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  repo.write('.gitignore', '.claude/\n')
  repo.write('a.txt', 'zero\n')
  repo.write('mine.txt', 'mine\n')
  await repo.commitAs('human', 'setup')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n', 'b.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n', 'dir/c.txt': 'two\n' })
  return repo
}

async function entire(repo: RecordedRepo, ...args: string[]): Promise<string> {
  const { code, out, err } = await repo.entire(args)
  expect({ args, code, err: code === 0 ? '' : err }).toEqual({ args, code: 0, err: '' })
  return `${out}${err}`
}

const files = (repo: RecordedRepo) =>
  ['a.txt', 'b.txt', 'dir/c.txt', 'mine.txt'].map((path) =>
    existsSync(join(repo.root, path)) ? repo.read(path).trim() : '-',
  )

test('undo takes back one turn after the other, redo brings them again', async () => {
  await using repo = await twoTurns()
  repo.write('mine.txt', 'changed by the person\n')
  const mine = 'changed by the person'
  expect(await entire(repo, 'undo', '--dry-run')).toContain('Restore: a.txt')
  expect(files(repo)).toEqual(['two', 'one', 'two', mine])
  expect(await entire(repo, 'undo')).toContain('`entire redo` undoes this.')
  expect(files(repo)).toEqual(['one', 'one', '-', mine])
  await entire(repo, 'undo')
  expect(files(repo)).toEqual(['zero', '-', '-', mine])
  expect(await entire(repo, 'undo')).toContain('Nothing differs')
  expect(await entire(repo, 'redo')).toContain('Redone: 2 files changed.')
  expect(files(repo)).toEqual(['one', 'one', '-', mine])
  await entire(repo, 'redo')
  expect(files(repo)).toEqual(['two', 'one', 'two', mine])
  expect(await repo.entire(['redo'])).toMatchObject({ code: 1 })
})

test('only some files, named from where the person is', async () => {
  await using repo = await twoTurns()
  await entire(repo, 'undo', 'dir')
  expect(files(repo)).toEqual(['two', 'one', '-', 'mine'])
  await entire(repo, 'redo')
  const { code } = await repo.entire(['undo', '../a.txt'], { cwd: join(repo.root, 'dir') })
  expect({ code, files: files(repo) }).toEqual({ code: 0, files: ['one', 'one', 'two', 'mine'] })
  expect(await repo.entire(['undo', '../outside'])).toMatchObject({ code: 2 })
})

test('the next turn after an undo is recorded as usual', async () => {
  await using repo = await twoTurns()
  await entire(repo, 'undo')
  await fakeAgent(repo).turn('three', { 'b.txt': 'three\n' })
  expect(files(repo)).toEqual(['one', 'three', '-', 'mine'])
  await entire(repo, 'undo')
  expect(files(repo)).toEqual(['one', 'one', '-', 'mine'])
  await repo.commitAs('human', 'work')
  expect(await repo.checkpointsOf()).toHaveLength(1)
  const { code, err } = await repo.entire(['undo'])
  expect({ code, err }).toEqual({
    code: 1,
    err: 'error: There is no turn to take back since the last commit.\nhint: A commit is taken back with `entire rewind --to <commit> --reset`, or with git.\n',
  })
})

test('--json says what would be done', async () => {
  await using repo = await twoTurns()
  expect(JSON.parse(await entire(repo, 'undo', '--dry-run', '--json'))).toMatchObject({
    dry_run: true,
    restore: ['a.txt'],
    remove: ['dir/c.txt'],
  })
})
