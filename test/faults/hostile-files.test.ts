// Records files that are hard to name, to read or to store.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nativePathIn } from '../../src/std/encoding.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { expectReadable, readParts } from './faulty-repo.ts'

setDefaultTimeout(60_000)

const text = (name: string) => `the first line of ${name}\nthe second line of ${name}\n`

const hostileNames = [
  'with space ',
  'new\nline',
  '"quoted"',
  "it's",
  '-leading',
  '--all',
  'back\\slash',
  'tab\there',
  ':(glob)magic*',
  '#hash',
  'ünïcödé-é-e\u0301',
  '日本語/🙂',
  '.hidden/.git-not',
  'not-utf8-\udcff\udc80',
  `${'n'.repeat(255)}`,
  `${'deep/'.repeat(40)}file`,
]

test('files of any name are recorded, whether a tool or a shell wrote them', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  for (const [index, name] of hostileNames.entries()) {
    if (index % 2 === 0 && !name.includes('\udcff')) agent.write(name, text(`n${index}`))
    else repo.write(name, text(`n${index}`))
  }
  await agent.stop()
  expect(repo.state(agent.session).files_touched).toEqual([...hostileNames].sort())
  const [shadow = ''] = await repo.refs('refs/heads/entire/[0-9a-f]*')
  const stepTree = await repo.git('ls-tree', '-r', '-z', shadow)
  await repo.commitAs('human', 'names')
  const committed = (await repo.git('ls-tree', '-r', '-z', 'HEAD')).split('\0')
  expect(committed.filter((line) => !stepTree.includes(line))).toEqual([])
  const [id = ''] = await repo.checkpointsOf()
  expect((await readParts(repo, id))[0]?.files.sort()).toEqual([...hostileNames].sort())
  expect(await repo.refs('refs/heads/entire/')).toEqual(['entire/checkpoints/v1'])
  await expectReadable(repo)
})

test('circular links, files that become directories, directories that become files, and huge files are recorded', async () => {
  await using repo = await recordedRepo()
  repo.write('was-file', 'a file\n')
  repo.write('was-dir/inner', 'inner\n')
  await repo.commitAs('human', 'setup')
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  const at = (path: string) => nativePathIn(repo.root, path)
  symlinkSync('loop-b', at('loop-a'))
  symlinkSync('loop-a', at('loop-b'))
  symlinkSync('.', at('here'))
  symlinkSync('/nowhere/at/all', at('dangling'))
  repo.remove('was-file')
  repo.write('was-file/now-inside', text('inside'))
  repo.remove('was-dir')
  repo.write('was-dir', text('was-dir'))
  repo.write('small', text('small'))
  writeFileSync(at('huge'), '')
  truncateSync(at('huge'), 60 * 1024 ** 2)
  await Bun.spawn(['mkfifo', 'fifo'], { cwd: repo.root }).exited
  await agent.stop()
  const touched = [
    'dangling',
    'here',
    'huge',
    'loop-a',
    'loop-b',
    'small',
    'was-dir',
    'was-dir/inner',
    'was-file',
    'was-file/now-inside',
  ]
  expect(repo.state(agent.session).files_touched).toEqual(touched)
  const [shadow = ''] = await repo.refs('refs/heads/entire/[0-9a-f]*')
  const tree = (await repo.git('ls-tree', '-r', '--name-only', shadow)).split('\n')
  expect(tree).toEqual(
    expect.arrayContaining([
      'loop-a',
      'loop-b',
      'here',
      'dangling',
      'was-file/now-inside',
      'was-dir',
      'small',
    ]),
  )
  expect(tree).not.toContain('was-file')
  expect(tree).not.toContain('was-dir/inner')
  rmSync(at('fifo'))
  await repo.commitAs('human', 'odd things')
  const [id = ''] = await repo.checkpointsOf()
  expect((await readParts(repo, id))[0]?.files).toEqual(touched)
  expect(await repo.refs('refs/heads/entire/')).toEqual(['entire/checkpoints/v1'])
  await expectReadable(repo)
})

test('a commit of only a huge file is linked', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  writeFileSync(join(repo.root, 'huge'), '')
  truncateSync(join(repo.root, 'huge'), 60 * 1024 ** 2)
  await agent.stop()
  await repo.commitAs('human', 'huge')
  const [id = ''] = await repo.checkpointsOf()
  expect((await readParts(repo, id))[0]?.files).toEqual(['huge'])
})
