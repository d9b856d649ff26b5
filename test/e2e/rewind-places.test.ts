// Rewinds in difficult places: subdirectories, work trees, odd file names, and obstacles that must not be
// lost.
import { expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { nativePathIn } from '../../src/std/encoding.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf, stepOf } from '../support/rewind-points.ts'

const rewind = async (repo: RecordedRepo, step: string, options: { cwd?: string } = {}) => {
  const ran = await repo.entire(['rewind', '--to', await stepOf(repo, step)], options)
  expect(ran).toMatchObject({ code: 0 })
  return ran
}
const undo = async (repo: RecordedRepo) =>
  expect(await repo.entire(['rewind', '--undo'])).toMatchObject({ code: 0 })

test('a rewind from a subdirectory affects the whole work tree, and keeps that directory', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n', 'deep/er/b.txt': 'two\n' })
  await rewind(repo, 'One', { cwd: join(repo.root, 'deep/er') })
  expect(repo.read('a.txt')).toBe('one\n')
  expect(existsSync(join(repo.root, 'deep/er/b.txt'))).toBe(false)
  expect(existsSync(join(repo.root, 'deep/er'))).toBe(true)
  await undo(repo)
  expect(repo.read('deep/er/b.txt')).toBe('two\n')
})

test('each work tree has its own points, rewinds and undos', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const linked = await repo.addWorktree('linked')
  const [agent, other] = [fakeAgent(repo), fakeAgent(linked)]
  await agent.turn('one', { 'a.txt': 'one\n' })
  await other.turn('there', { 'a.txt': 'there\n' })
  await other.turn('there again', { 'a.txt': 'there again\n' })
  expect((await pointsOf(repo)).map((point) => point.message)).toEqual(['One'])
  await rewind(linked, 'There')
  expect([repo.read('a.txt'), linked.read('a.txt')]).toEqual(['one\n', 'there\n'])
  expect((await repo.entire(['rewind', '--undo'])).code).toBe(1)
  await undo(linked)
  expect(linked.read('a.txt')).toBe('there again\n')
})

test('steps of other sessions are points, too, and a rewind undoes later work of all sessions', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.turn('of one', { 'a.txt': 'one\n' })
  await two.turn('of two', { 'b.txt': 'two\n' })
  await one.turn('more of one', { 'a.txt': 'more\n' })
  const log = readFileSync(two.transcript, 'utf8')
  expect((await pointsOf(repo)).map(({ message, session_prompt }) => [message, session_prompt])).toEqual([
    ['More of one', 'of one'],
    ['Of two', 'of two'],
    ['Of one', 'of one'],
  ])
  await rewind(repo, 'Of one')
  expect([repo.read('a.txt'), existsSync(join(repo.root, 'b.txt'))]).toEqual(['one\n', false])
  expect([repo.state(one.session).checkpoint_count, repo.state(two.session).checkpoint_count]).toEqual([1, 0])
  expect(readFileSync(two.transcript, 'utf8')).toBe(log)
  await undo(repo)
  expect([repo.read('a.txt'), repo.read('b.txt')]).toEqual(['more\n', 'two\n'])
  expect([repo.state(one.session).checkpoint_count, repo.state(two.session).checkpoint_count]).toEqual([2, 1])
})

test('modes, links and names of any kind are restored', async () => {
  await using repo = await recordedRepo()
  const odd = [
    'two\nlines.txt',
    ':(top)*.txt',
    '--help',
    'caf\udce9.txt',
    ' leading and trailing ',
    '"quoted"\\.txt',
    'ünï/cödé.txt',
  ]
  repo.write('script.sh', '#!/bin/sh\n', 0o644)
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('one')
  for (const path of odd) repo.write(path, `one ${path}\n`)
  symlinkSync('somewhere', join(repo.root, 'link'))
  chmodSync(join(repo.root, 'script.sh'), 0o755)
  await agent.stop()
  await agent.prompt('two')
  for (const path of odd.slice(0, 4)) repo.write(path, `two ${path}\n`)
  for (const path of odd.slice(4)) repo.remove(path)
  repo.remove('link')
  repo.write('link', 'a file now\n')
  chmodSync(join(repo.root, 'script.sh'), 0o600)
  await agent.stop()
  await rewind(repo, 'One')
  for (const path of odd)
    expect(readFileSync(nativePathIn(repo.root, path), 'utf8')).toBe(`one ${path}\n`.toWellFormed())
  expect(readlinkSync(join(repo.root, 'link'))).toBe('somewhere')
  expect(statSync(join(repo.root, 'script.sh')).mode & 0o777).toBe(0o700)
  await undo(repo)
  expect(repo.read('link')).toBe('a file now\n')
  expect(statSync(join(repo.root, 'script.sh')).mode & 0o777).toBe(0o600)
})

test('a file that became a directory, and a directory that became a file, change back', async () => {
  await using repo = await recordedRepo()
  repo.write('was-file', 'a file\n')
  repo.write('was-dir/inner/b.txt', 'in a directory\n')
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  await agent.prompt('two')
  repo.remove('was-file')
  agent.write('was-file/now/a.txt', 'a directory now\n')
  repo.remove('was-dir')
  agent.write('was-dir', 'a file now\n')
  await agent.stop()
  await rewind(repo, 'One')
  expect([repo.read('was-file'), repo.read('was-dir/inner/b.txt')]).toEqual(['a file\n', 'in a directory\n'])
  await undo(repo)
  expect([repo.read('was-file/now/a.txt'), repo.read('was-dir')]).toEqual([
    'a directory now\n',
    'a file now\n',
  ])
})

test('an obstacle that must not be deleted stays, and is reported', async () => {
  await using repo = await recordedRepo()
  repo.write('.gitignore', '*.log\n')
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', {
    file: 'one\n',
    'dir/inner.txt': 'one\n',
    'through/link.txt': 'one\n',
    'lib/a.txt': 'one\n',
  })
  await agent.prompt('two')
  for (const path of ['file', 'dir', 'through', 'lib']) repo.remove(path)
  await agent.stop()
  repo.write('file/build.log', 'ignored, in a directory where a file was\n')
  repo.write('dir', 'a file of the user where a directory was\n')
  const outside = join(repo.base, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'link.txt'), 'outside of the work tree\n')
  symlinkSync(outside, join(repo.root, 'through'))
  await repo.git('init', '--quiet', 'lib')
  repo.write('lib/a.txt', 'of another repository\n')
  const ran = await rewind(repo, 'One')
  for (const path of ['file', 'dir/inner.txt', 'through/link.txt', 'lib/a.txt'])
    expect(ran.err).toContain(`  Keep: ${path} (something else is in its place)\n`)
  expect(repo.read('file/build.log')).toBe('ignored, in a directory where a file was\n')
  expect(repo.read('dir')).toBe('a file of the user where a directory was\n')
  expect(readFileSync(join(outside, 'link.txt'), 'utf8')).toBe('outside of the work tree\n')
  expect(lstatSync(join(repo.root, 'through')).isSymbolicLink()).toBe(true)
  expect(repo.read('lib/a.txt')).toBe('of another repository\n')
})

test('a new obstacle of an undo stays, and the undo continues once it is moved', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n', 'b.txt': 'two\n' })
  await rewind(repo, 'One')
  repo.write('b.txt/mine.txt', 'in the way\n')
  const partial = await repo.entire(['rewind', '--undo'])
  expect(partial.err).toContain('  Keep: b.txt (something else is in its place)\n')
  expect(partial.err).toContain(
    'Note: Move the files that are in the way, then run `entire rewind --undo` again for the rest.\n',
  )
  expect([repo.read('a.txt'), repo.read('b.txt/mine.txt')]).toEqual(['two\n', 'in the way\n'])
  repo.remove('b.txt')
  await undo(repo)
  expect(repo.read('b.txt')).toBe('two\n')
})

test('files of the user are left alone: created before the session, between turns, ignored, or too large to copy', async () => {
  await using repo = await recordedRepo()
  repo.write('.gitignore', '.env\n')
  await repo.commit('set up')
  const own = { 'notes.txt': 'notes\n', 'edited.txt': 'made by the user\n', '.env': 'SECRET=1\n' }
  repo.write('notes.txt', own['notes.txt'])
  repo.write('.env', own['.env'])
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  repo.write('edited.txt', own['edited.txt'])
  await agent.prompt('two')
  agent.write('a.txt', 'two\n')
  agent.write('edited.txt', 'made by the user, edited by the agent\n')
  agent.write('grown.bin', 'small\n')
  writeFileSync(join(repo.root, 'large.bin'), Buffer.alloc(51 * 1024 * 1024))
  await agent.stop()
  writeFileSync(join(repo.root, 'grown.bin'), Buffer.alloc(51 * 1024 * 1024))
  repo.write('notes.txt', 'notes, and more\n')
  repo.write('.env', 'SECRET=2\n')
  const ran = await rewind(repo, 'One')
  expect(ran.err).toContain('  Keep: grown.bin (too large or unreadable to keep a copy of)\n')
  expect(ran.err).toContain('  Keep: large.bin (not in the step: it was too large or unreadable)\n')
  expect(repo.read('a.txt')).toBe('one\n')
  expect([repo.read('notes.txt'), repo.read('.env')]).toEqual(['notes, and more\n', 'SECRET=2\n'])
  expect(repo.read('edited.txt')).toBe('made by the user, edited by the agent\n')
  expect(['large.bin', 'grown.bin'].map((name) => existsSync(join(repo.root, name)))).toEqual([true, true])
})

test('files pass through filters as in a checkout, and an undo restores them byte for byte', async () => {
  await using repo = await recordedRepo()
  repo.write('.gitattributes', '*.txt text eol=crlf\n')
  repo.write('same.txt', 'one\r\ntwo\r\n')
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\r\nof one\r\n' })
  await agent.turn('two', { 'a.txt': 'two\r\nof two\r\n' })
  const mixed = 'one\r\nand two\nin one file\r\n'
  repo.write('a.txt', mixed)
  await rewind(repo, 'One')
  expect(repo.read('a.txt')).toBe('one\r\nof one\r\n')
  await undo(repo)
  expect(repo.read('a.txt')).toBe(mixed)
})

test('files outside a sparse checkout are restored and removed like others', async () => {
  await using repo = await recordedRepo({ kind: 'sparse' })
  await repo.git('add', '--sparse', '--all')
  await repo.git('commit', '--quiet', '-m', 'set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'in/a.txt': 'one\n', 'out/new.txt': 'one\n' })
  await agent.turn('two', { 'in/a.txt': 'two\n', 'out/new.txt': 'two\n', 'out/b.txt': 'outside\n' })
  await rewind(repo, 'One')
  expect([repo.read('in/a.txt'), repo.read('out/new.txt')]).toEqual(['one\n', 'one\n'])
  await undo(repo)
  expect([repo.read('in/a.txt'), repo.read('out/new.txt'), repo.read('out/b.txt')]).toEqual([
    'two\n',
    'two\n',
    'outside\n',
  ])
})

test('submodules and repositories inside are never touched', async () => {
  await using repo = await recordedRepo()
  const library = join(repo.base, 'library')
  await repo.git('init', '--quiet', library)
  writeFileSync(join(library, 'lib.txt'), 'library\n')
  await repo.run([
    'git',
    '-c',
    'user.name=x',
    '-c',
    'user.email=x@example.com',
    '-C',
    library,
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'x',
  ])
  await repo.git('submodule', '--quiet', 'add', library, 'sub')
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n' })
  repo.write('sub/work.txt', 'work in the submodule\n')
  await repo.git('init', '--quiet', 'nested')
  repo.write('nested/work.txt', 'work in a repository inside\n')
  await rewind(repo, 'One')
  expect([repo.read('sub/work.txt'), repo.read('nested/work.txt')]).toEqual([
    'work in the submodule\n',
    'work in a repository inside\n',
  ])
})

test('an undo restores files even after a new commit', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'the first work\n' })
  await agent.turn('two', { 'a.txt': 'the second work\n' })
  await rewind(repo, 'One')
  const before = await repo.head()
  const head = await repo.commitAs('human', 'only one')
  const ran = await repo.entire(['rewind', '--undo'])
  expect(ran.err).toContain(
    `Note: HEAD was at ${before.slice(0, 7)} then and is at ${head.slice(0, 7)} now; only files were restored.\n`,
  )
  expect([repo.read('a.txt'), await repo.head()]).toEqual(['the second work\n', head])
})

test('an unborn branch and an ambiguous id are errors with a hint', async () => {
  await using repo = await recordedRepo({ kind: 'unborn' })
  const ran = await repo.entire(['rewind', '--to', 'abcdef0123'])
  expect(ran.code).toBe(1)
  expect(ran.err).toContain('error: This repository has no commits yet.\nhint: ')
  expect((await repo.entire(['rewind', '--list'])).out).toBe('[]\n')
})
