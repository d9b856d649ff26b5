import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir, tempRepo } from '../../test/support/repo.ts'
import { availableKinds } from '../../test/support/repo-kinds.ts'
import { openObjectReader } from './cat-file.ts'
import { readTree } from './tree.ts'

const probe = tempDir()
const kinds = (await availableKinds(probe.base, probe.env)).filter((kind) => kind !== 'unborn')
await probe[Symbol.asyncDispose]()

test.each(kinds)('%s: reads commits, trees and blobs, and finds missing objects missing', async (kind) => {
  await using temp = await tempRepo({ kind })
  const head = await temp.head()
  await using objects = openObjectReader(temp.repo)
  const readme = await temp.git('show', 'HEAD:README.md')
  expect(await objects.info('HEAD')).toMatchObject({ oid: head, type: 'commit' })
  expect(await objects.info(`${head}^{tree}`)).toMatchObject({ type: 'tree' })
  expect((await objects.contents(`${head}:README.md`))?.content.toString()).toBe(`${readme}\n`)
  expect(await objects.contents('HEAD:none')).toBeUndefined()
  expect(await objects.info('no-such-ref')).toBeUndefined()
  expect(await objects.info('refs/heads/none^{tree}')).toBeUndefined()
})

test('answers come in the order of the questions, however many are asked at once', async () => {
  await using temp = await tempRepo()
  const count = 3_000
  for (let at = 0; at < 40; at += 1) temp.write(`dir/${at}`, `${at} `.repeat(1 + at * 200))
  await temp.commit('files')
  await using objects = openObjectReader(temp.repo)
  const answers = await Promise.all(
    Array.from({ length: count }, (_, at) => {
      if (at % 3 === 0)
        return objects
          .contents(`HEAD:dir/${at % 40}`)
          .then((answer) => answer?.content.toString().split(' ')[0])
      if (at % 3 === 1) return objects.info(`HEAD:dir/missing ${at}`).then((answer) => answer ?? 'missing')
      return objects.info('HEAD').then((answer) => answer?.type)
    }),
  )
  expect(answers).toEqual(
    Array.from({ length: count }, (_, at) => [String(at % 40), 'missing', 'commit'][at % 3]),
  )
})

test.each(['new\nline', 'a missing\n', 'x blob 3', 'caf\udce9', ' ', '"q"', 'a\nb missing'])(
  'the name %p is found when it is there and missing when it is not',
  async (name) => {
    await using temp = await tempRepo()
    await using before = openObjectReader(temp.repo)
    const [missing, next] = await Promise.all([before.contents(`HEAD:${name}`), before.info('HEAD')])
    expect([missing, next?.type]).toEqual([undefined, 'commit'])
    temp.write(name, 'here')
    await temp.commit('add')
    await using after = openObjectReader(temp.repo)
    expect((await after.contents(`HEAD:${name}`))?.content.toString()).toBe('here')
  },
)

test('empty and huge blobs are read completely', async () => {
  await using temp = await tempRepo()
  const huge = Buffer.alloc(60_000_000)
  for (let at = 0; at < huge.length; at += 4096) huge.writeUInt32LE(at, at)
  temp.write('huge', huge)
  temp.write('empty', '')
  await temp.git('-c', 'core.compression=0', 'add', 'huge', 'empty')
  await temp.git('commit', '-qm', 'huge')
  await using objects = openObjectReader(temp.repo)
  const [first, empty, again] = await Promise.all([
    objects.contents('HEAD:huge'),
    objects.contents('HEAD:empty'),
    objects.contents('HEAD:huge'),
  ])
  expect(first?.content.equals(huge)).toBe(true)
  expect(empty?.content).toHaveLength(0)
  expect(again?.content.equals(huge)).toBe(true)
}, 30_000)

test('an ambiguous abbreviation names no object', async () => {
  await using temp = await tempRepo()
  const prefixes = new Set<string>()
  let twice: string | undefined
  for (let at = 0; twice === undefined; at += 1) {
    const oid = (await temp.run(['git', 'hash-object', '-w', '--stdin'], { stdin: `blob ${at}` })).stdout
      .toString()
      .slice(0, 4)
    if (prefixes.has(oid)) twice = oid
    prefixes.add(oid)
  }
  await using objects = openObjectReader(temp.repo)
  expect(await objects.info(twice)).toBeUndefined()
  expect(await objects.info('HEAD')).toMatchObject({ type: 'commit' })
}, 30_000)

test('the commit of a submodule is not an object of this repository', async () => {
  await using temp = await tempRepo({ kind: 'submodule' })
  await using objects = openObjectReader({ ...temp.repo, root: join(temp.base, 'repo') })
  expect(await objects.info('HEAD:lib')).toBeUndefined()
  expect(await objects.info('HEAD')).toMatchObject({ type: 'commit' })
})

test('without questions no process starts; in a broken repository every question fails with git’s words', async () => {
  await using temp = await tempRepo()
  {
    await using _unused = openObjectReader({ ...temp.repo, env: { PATH: '/nowhere' } })
  }
  const objects = openObjectReader(temp.repo)
  rmSync(join(temp.root, '.git'), { recursive: true })
  await expect(objects.info('HEAD')).rejects.toMatchObject({
    code: 'git-failed',
    message: expect.stringContaining('not a git repository'),
  })
  await expect(objects.contents('HEAD')).rejects.toMatchObject({ code: 'git-failed' })
  await objects[Symbol.asyncDispose]()
})

test('a missing object of a partial clone is fetched; when that fails, only its question fails', async () => {
  await using temp = await tempRepo({ kind: 'partial-clone' })
  const old = `${await temp.git('rev-list', '--max-parents=0', 'HEAD')}:README.md`
  await using objects = openObjectReader(temp.repo)
  renameSync(join(temp.base, 'origin'), join(temp.base, 'away'))
  const outcomes = await Promise.allSettled([
    objects.info('HEAD'),
    objects.contents(old),
    objects.info('HEAD'),
    objects.info('none'),
    objects.contents('HEAD'),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
  renameSync(join(temp.base, 'away'), join(temp.base, 'origin'))
  expect((await objects.contents(old))?.content.toString()).toBe('# test\n')
})

test('after closing, open questions start no new process', async () => {
  await using temp = await tempRepo({ kind: 'partial-clone' })
  const old = `${await temp.git('rev-list', '--max-parents=0', 'HEAD')}:README.md`
  renameSync(join(temp.base, 'origin'), join(temp.base, 'away'))
  const objects = openObjectReader(temp.repo)
  const questions = [objects.contents(old), objects.info('HEAD'), objects.contents(old)]
  await expect(Promise.all(questions)).rejects.toMatchObject({
    code: 'git-failed',
    hint: expect.stringContaining('remote can be reached'),
  })
  await objects[Symbol.asyncDispose]()
  await expect(questions[2]).rejects.toMatchObject({ code: 'git-failed' })
  await expect(objects.info('HEAD')).rejects.toMatchObject({ code: 'git-failed' })
})

test('missing blobs requested at the same time are fetched together', async () => {
  await using temp = await tempRepo({ kind: 'partial-clone' })
  const trace = join(temp.base, 'trace')
  const env = { ...temp.env, GIT_TRACE: trace }
  const trees = (await temp.git('log', '--format=%T')).split('\n')
  await using objects = openObjectReader({ ...temp.repo, env })
  const read = trees.map(async (tree) => {
    const [entry] = await readTree(objects, tree)
    await objects.prefetchBlobs(tree, [entry!.oid])
    return (await objects.contents(entry!.oid))?.content.toString()
  })
  expect(await Promise.all(read)).toEqual(['# test 3\n', '# test 2\n', '# test\n'])
  const log = readFileSync(trace, 'utf8')
  expect(log.match(/run_command: .*git-upload-pack/g)).toHaveLength(1)
})

test('a git that is too old says which version is needed', async () => {
  await using temp = await tempRepo()
  const bin = join(temp.base, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'git'),
    '#!/bin/sh\necho "error: unknown switch \\`z\'" >&2\necho "usage: git cat-file" >&2\nexit 129\n',
  )
  chmodSync(join(bin, 'git'), 0o755)
  await using objects = openObjectReader({
    ...temp.repo,
    env: { ...temp.env, PATH: `${bin}:${temp.env.PATH}` },
  })
  await expect(objects.info('HEAD')).rejects.toMatchObject({
    code: 'git-failed',
    hint: expect.stringContaining('2.38'),
  })
})
