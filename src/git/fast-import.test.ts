import { expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TempRepo, tempDir, tempRepo } from '../../test/support/repo.ts'
import { availableKinds } from '../../test/support/repo-kinds.ts'
import { readUserState } from '../../test/support/user-state.ts'
import { openObjectReader } from './cat-file.ts'
import { type NewCommit, startFastImport, type TreeChange } from './fast-import.ts'
import type { Oid } from './oid.ts'
import { listRefs } from './refs.ts'
import type { Repo } from './repo.ts'

const probe = tempDir()
const kinds = await availableKinds(probe.base, probe.env)
await probe[Symbol.asyncDispose]()

const ref = 'refs/heads/entire/1234567-e3b0c4'
const author = { name: 'Ada', email: 'ada@example.com' }
const file = (path: string, content: string): TreeChange => ({
  path,
  mode: '100644',
  content: Buffer.from(content),
})

async function save(repo: Repo, commit: Partial<NewCommit>): Promise<Oid> {
  const writes = startFastImport(repo)
  const mark = writes.commit({
    ref,
    parent: undefined,
    message: 'step\n',
    author,
    seconds: 1_700_000_000,
    changes: [],
    ...commit,
  })
  const oid = await writes.oidOf(mark)
  await writes.finish()
  return oid
}

async function headTree(temp: TempRepo): Promise<TreeChange[]> {
  return [{ path: '', mode: '040000', oid: await temp.git('rev-parse', 'HEAD^{tree}') }]
}

const crashReports = (repo: Repo) =>
  [repo.gitDir, repo.commonDir]
    .flatMap((dir) => readdirSync(dir))
    .filter((name) => name.startsWith('fast_import'))

test.each(kinds)(
  '%s: a save is HEAD plus the changes on a side ref, and leaves the user’s files byte for byte',
  async (kind) => {
    await using temp = await tempRepo({ kind })
    temp.write('staged', 'x')
    await temp.git('add', 'staged')
    temp.write('README.md', 'changed')
    const before = readUserState(temp.repo)
    const base = kind === 'unborn' ? [] : await headTree(temp)
    const first = await save(temp.repo, {
      changes: [...base, file('README.md', 'one'), file('dir/new file', 'two')],
    })
    const second = await save(temp.repo, {
      parent: first,
      changes: [
        { path: 'README.md', deleted: true },
        { path: 'run', mode: '100755', content: Buffer.from('#!') },
      ],
    })
    await using objects = openObjectReader(temp.repo)
    expect((await objects.contents(`${first}:README.md`))?.content.toString()).toBe('one')
    expect((await objects.contents(`${second}:dir/new file`))?.content.toString()).toBe('two')
    expect(await objects.info(`${second}:README.md`)).toBeUndefined()
    expect(readUserState(temp.repo)).toEqual(before)
    expect(await listRefs(temp.repo, 'refs/heads/entire/')).toEqual([{ ref, oid: second }])
    expect(await temp.git('log', '--format=%an <%ae> %at %cn %ct %B', '-1', ref)).toBe(
      'Ada <ada@example.com> 1700000000 Ada 1700000000 step\n',
    )
    expect(await temp.git('ls-tree', ref, 'run')).toStartWith('100755 blob')
    if (kind !== 'partial-clone') await temp.git('fsck', '--strict')
    expect(crashReports(temp.repo)).toEqual([])
  },
)

test('file names and types survive writing and reading', async () => {
  await using temp = await tempRepo()
  const names = [
    'with space',
    'quo"te',
    'new\nline',
    '-dash',
    'back\\slash',
    '"whole"',
    'caf\udce9',
    'ümlaut',
    'tab\t',
    '\u0001',
    ' lead',
    'trail ',
    'a/b/c',
  ]
  const oid = await save(temp.repo, {
    changes: [
      ...names.map((name) => file(name, name)),
      { path: 'link', mode: '120000', content: Buffer.from('to\xff', 'latin1') },
    ],
  })
  await using objects = openObjectReader(temp.repo)
  for (const name of names)
    expect((await objects.contents(`${oid}:${name}`))?.content.toString()).toBe(Buffer.from(name).toString())
  expect(await temp.git('ls-tree', oid, 'link')).toStartWith('120000 blob')
  expect((await temp.git('ls-tree', '-r', '--name-only', '-z', oid)).split('\0')).toHaveLength(
    names.length + 2,
  )
})

test('paths that no checkout accepts are left out', async () => {
  await using temp = await tempRepo()
  const paths = ['.git/hooks/x', 'a/.GIT/config', '../up', 'a/../b', './a', 'a//b', '/abs', 'good/.gitignore']
  const oid = await save(temp.repo, { changes: paths.map((path) => file(path, '')) })
  expect(await temp.git('ls-tree', '-r', '--name-only', oid)).toBe('good/.gitignore')
})

test('changes are applied in order, so a file can make way for a directory and back', async () => {
  await using temp = await tempRepo()
  const first = await save(temp.repo, { changes: [file('f', ''), file('d/in', '')] })
  const second = await save(temp.repo, {
    parent: first,
    changes: [{ path: 'f', deleted: true }, file('f/in', ''), { path: 'd/in', deleted: true }, file('d', '')],
  })
  expect(await temp.git('ls-tree', '-r', '--name-only', second)).toBe('d\nf/in')
})

test('one stream writes two commits on a ref, a merge and another ref, and returns their ids', async () => {
  await using temp = await tempRepo()
  const head = await temp.head()
  const writes = startFastImport(temp.repo)
  const commit = (more: Partial<NewCommit>) =>
    writes.commit({ ref, parent: undefined, message: 'm', author, seconds: 1.9, changes: [], ...more })
  const blob = await writes.oidOf(writes.blob(Buffer.from('shared')))
  const first = commit({ changes: [{ path: 'a', mode: '100644', oid: blob }] })
  const second = commit({ changes: [file('b', 'b')], message: 'nul\0 and \ud800 are no trouble' })
  const merge = commit({ ref: 'refs/heads/entire/merge', parent: head, mergeParents: [head] })
  const tree = await writes.treeOf(second)
  const oids = await Promise.all([first, second, merge].map((mark) => writes.oidOf(mark)))
  writes.resetRef('refs/heads/entire/at-head', head)
  await writes.finish()
  expect(
    await temp.git('rev-parse', `${ref}~1`, ref, `${ref}^{tree}`, 'entire/merge', 'entire/at-head'),
  ).toBe([...oids.slice(0, 2), tree, oids[2], head].join('\n'))
  expect(await temp.git('log', '-1', '--format=%s', ref)).toBe('nul and \uFFFD are no trouble')
})

test('an empty stream changes nothing', async () => {
  await using temp = await tempRepo()
  const before = readUserState(temp.repo)
  await startFastImport(temp.repo).finish()
  expect(readUserState(temp.repo)).toEqual(before)
  expect(await temp.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
})

test.each(['plain', 'linked-worktree', 'submodule'] as const)(
  '%s: an aborted stream leaves the refs, no objects and no crash report',
  async (kind) => {
    await using temp = await tempRepo({ kind })
    const first = await save(temp.repo, {})
    const packs = () => readdirSync(join(temp.repo.commonDir, 'objects', 'pack')).sort()
    const before = packs()
    const writes = startFastImport(temp.repo)
    const mark = writes.commit({
      ref,
      parent: first,
      message: 'm',
      author,
      seconds: 1,
      changes: [file('a', 'a')],
    })
    await writes.oidOf(mark)
    await writes.abort()
    expect(packs()).toEqual(before)
    expect(await temp.git('rev-parse', ref)).toBe(first)
    expect(crashReports(temp.repo)).toEqual([])
  },
)

test('every refusal is reported in git’s words and leaves no crash report', async () => {
  await using temp = await tempRepo()
  const writes = startFastImport(temp.repo)
  writes.commit({
    ref: 'refs/heads/bad..name',
    parent: undefined,
    message: 'm',
    author,
    seconds: 1,
    changes: [],
  })
  const refusal = { code: 'git-failed', message: expect.stringContaining('bad..name') }
  expect(writes.oidOf(1)).rejects.toMatchObject(refusal)
  await Bun.sleep(20)
  writes.blob(Buffer.alloc(3_000_000))
  await expect(writes.finish()).rejects.toMatchObject(refusal)
  await expect(save(temp.repo, { parent: '1'.repeat(40) })).rejects.toMatchObject({ code: 'git-failed' })
  expect(crashReports(temp.repo)).toEqual([])
})

test.each(['plain', 'sha256'] as const)('%s: a ref is deleted only where it was seen', async (kind) => {
  await using temp = await tempRepo({ kind })
  const first = await save(temp.repo, {})
  const second = await save(temp.repo, { parent: first })
  const remove = async (was: Oid) => {
    const writes = startFastImport(temp.repo)
    writes.deleteRef(ref, was)
    await writes.finish()
  }
  await remove(first)
  expect(await temp.git('rev-parse', ref)).toBe(second)
  await remove(second)
  expect(await listRefs(temp.repo, 'refs/heads/entire/')).toEqual([])
  await remove(second)
})

test('a blob can be stored before its commit, and a parent commit can be prefetched', async () => {
  await using temp = await tempRepo()
  const first = await save(temp.repo, { changes: [file('a', 'one')] })
  const writes = startFastImport(temp.repo)
  writes.prefetchCommit(first)
  const mark = writes.blob(Buffer.from('two'))
  const commit = writes.commit({
    ref,
    parent: first,
    message: 'step\n',
    author,
    seconds: 1_700_000_001,
    changes: [{ path: 'b', mode: '100755', mark }],
  })
  const oid = await writes.oidOf(commit)
  await writes.finish()
  expect(await temp.git('show', `${oid}:b`)).toBe('two')
  expect(await temp.git('ls-tree', oid, 'b')).toStartWith('100755 blob')
  expect(await temp.git('show', `${oid}:a`)).toBe('one')
})

test('a missing parent commit is reported when the import ends', async () => {
  await using temp = await tempRepo()
  const writes = startFastImport(temp.repo)
  writes.prefetchCommit('1'.repeat(40))
  writes.commit({
    ref,
    parent: '1'.repeat(40),
    message: 'step\n',
    author,
    seconds: 1_700_000_000,
    changes: [file('a', 'one')],
  })
  await expect(writes.finish()).rejects.toMatchObject({ code: 'git-failed' })
  expect(crashReports(temp.repo)).toEqual([])
})

test('the mark that a killed import left on the same pack is removed, and that of another import stays', async () => {
  await using temp = await tempRepo()
  const step = { changes: [file('a', 'of a step\n')] }
  const oid = await save(temp.repo, step)
  await temp.git('update-ref', '-d', ref)
  const dir = join(temp.repo.commonDir, 'objects/pack')
  const [pack = ''] = readdirSync(dir).filter((name) => name.endsWith('.pack'))
  const [mark, other] = [pack.replace(/pack$/, 'keep'), `pack-${'ab'.repeat(20)}.keep`]
  for (const name of [pack, pack.replace(/pack$/, 'idx')]) rmSync(join(dir, name))
  for (const name of [mark, other]) writeFileSync(join(dir, name), 'fast-import')
  expect(await save(temp.repo, step).catch((error) => error.code)).toBe('ref-moved')
  expect(readdirSync(dir)).toEqual([other])
  expect(await save(temp.repo, step)).toBe(oid)
  expect(await temp.git('cat-file', 'blob', `${oid}:a`)).toBe('of a step')
  expect(readdirSync(dir).filter((name) => name.endsWith('.keep'))).toEqual([other])
})
