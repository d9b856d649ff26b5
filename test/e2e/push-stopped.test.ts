// Steps hold raw, untracked files: no push publishes them, and what was not pushed takes no checkpoints along.
import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

const emptyCommit = ['commit', '-q', '--allow-empty', '-m', 'mine']

/** A step that holds an untracked file, and a remote that has nothing yet. */
async function repoWithStep(): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', `${repo.base}/origin.git`)
  await repo.git('remote', 'add', 'origin', `${repo.base}/origin.git`)
  repo.write('.gitignore', '.claude/\n')
  await repo.commitAs('human', 'setup')
  repo.write('secrets.txt', 'untracked and private\n')
  await fakeAgent(repo).turn('work', { 'a.txt': 'work of the agent\n' })
  return repo
}

async function remoteRefs(repo: RecordedRepo, name = 'origin'): Promise<string[]> {
  const lines = await repo.git('ls-remote', `${repo.base}/${name}.git`)
  return lines
    .split('\n')
    .map((line) => line.split('\t')[1] ?? '')
    .filter((ref) => ref !== '' && ref !== 'HEAD')
}

test.each([
  ['--all', ['--all', 'origin']],
  ['--mirror', ['--mirror', 'origin']],
  ['a pattern', ['origin', 'refs/heads/*:refs/heads/*']],
  ['a URL', ['--all', 'URL']],
])('a push that would publish steps is stopped, and says what to push instead: %s', async (_title, args) => {
  await using repo = await repoWithStep()
  await repo.git('branch', 'feature')
  const [shadow = ''] = await repo.shadows()
  const words = args.map((word) => (word === 'URL' ? `${repo.base}/origin.git` : word))
  const pushed = await repo.run(['git', 'push', ...words])
  expect(pushed.code).toBe(1)
  expect(pushed.stderr).toContain(`[entire] The push was stopped`)
  expect(pushed.stderr).toContain(`[entire]   ${shadow}\n`)
  expect(await remoteRefs(repo)).toEqual([])
  const command = /^\[entire\] {3}(git push .*)$/m.exec(pushed.stderr)?.[1] ?? ''
  expect((await repo.run(['sh', '-c', command])).code).toBe(0)
  const refs = await remoteRefs(repo)
  expect(refs).toEqual(expect.arrayContaining(['refs/heads/feature', 'refs/heads/main']))
  expect(refs.filter((ref) => ref.includes(shadow))).toEqual([])
})

test.each([
  ['by its name', (shadow: string) => shadow],
  ['under another name', (shadow: string) => `${shadow}:refs/heads/innocent`],
  ['by its commit', (shadow: string) => `${shadow}^0:refs/heads/innocent`],
  ['by an annotated tag', () => 'marked'],
])('a step is not pushed %s', async (_title, refspec) => {
  await using repo = await repoWithStep()
  const [shadow = ''] = await repo.shadows()
  await repo.git('tag', '--annotate', '-m', 'a tag', 'marked', shadow)
  const pushed = await repo.run(['git', 'push', 'origin', refspec(shadow)])
  expect(pushed.code).toBe(1)
  expect(pushed.stderr).toContain('[entire] The push was stopped')
  expect(await remoteRefs(repo)).toEqual([])
})

const inHistory: [string, string[][], string][] = [
  ['below a commit', [['checkout', '-q', '-f', '-B', 'mine', 'STEP'], emptyCommit], 'mine'],
  [
    'below a merge',
    [['merge', '-q', '--allow-unrelated-histories', '-s', 'ours', '-m', 'm', 'STEP']],
    'main',
  ],
  [
    'below a tag of a commit',
    [['checkout', '-q', '-f', '-B', 'mine', 'STEP'], emptyCommit, ['tag', '-a', '-m', 't', 'marked']],
    'marked',
  ],
  [
    'far below, its branch gone',
    [
      ['checkout', '-q', '-f', '-B', 'mine', 'STEP'],
      ...Array<string[]>(120).fill(emptyCommit),
      ['branch', '-D', 'STEP'],
    ],
    'mine',
  ],
]

test('a step is not pushed with what was built on it, unless the remote has it', async () => {
  await using repo = await repoWithStep()
  const [shadow = ''] = await repo.shadows()
  const step = await repo.git('rev-parse', shadow)
  const author = ['-c', 'user.name=me', '-c', 'user.email=me@example.com', '-c', 'core.hooksPath=/dev/null']
  await repo.git('push', '--quiet', 'origin', 'main')
  const base = await repo.head()
  const told: [string, number, number][] = []
  for (const [title, commands, pushed] of inHistory) {
    await repo.git('update-ref', `refs/heads/${shadow}`, step)
    for (const command of commands)
      await repo.git(...author, ...command.map((word) => (word === 'STEP' ? shadow : word)))
    const stopped = await repo.run(['git', 'push', 'origin', pushed])
    expect(stopped.stderr).toContain('[entire] The push was stopped')
    await repo.git('push', '--quiet', '--no-verify', 'origin', pushed)
    await repo.git('branch', '--quiet', '-f', 'later', pushed)
    // Git does not note here which tags a remote has.
    const later = await repo.run(['git', 'push', 'origin', pushed === 'marked' ? 'main' : 'later'])
    told.push([title, stopped.code, later.code])
    await repo.git('push', '--quiet', '--no-verify', '--force', 'origin', `${base}:main`)
    await repo.git('push', '--quiet', '--no-verify', 'origin', '--delete', 'later').catch(() => '')
    if (pushed !== 'main') await repo.git('push', '--quiet', '--no-verify', 'origin', '--delete', pushed)
    await repo.git('checkout', '-q', '-f', '-B', 'main', base)
    await repo.git('tag', '-d', 'marked').catch(() => '')
  }
  expect(told).toEqual(inHistory.map(([title]) => [title, 1, 0]))
})

test('a disabled program stops such a push as well, and a published step can be deleted', async () => {
  await using repo = await repoWithStep()
  const [shadow = ''] = await repo.shadows()
  await repo.entire(['disable'])
  expect((await repo.run(['git', 'push', '--all', 'origin'])).code).toBe(1)
  await repo.git('push', '--quiet', '--no-verify', 'origin', shadow)
  expect(await remoteRefs(repo)).toEqual([`refs/heads/${shadow}`])
  expect((await repo.run(['git', 'push', 'origin', '--delete', shadow])).code).toBe(0)
  expect(await remoteRefs(repo)).toEqual([])
})

test('refs for undoing are not pushed', async () => {
  await using repo = await repoWithStep()
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as { id: string }[]
  repo.write('a.txt', 'edited\n')
  await repo.entire(['rewind', '--to', points[0]?.id ?? '', '--everything'])
  const [undo = ''] = await repo.refs('refs/entire/undo/')
  expect(undo).not.toBe('')
  const pushed = await repo.run(['git', 'push', 'origin', 'refs/entire/*:refs/entire/*'])
  expect({ code: pushed.code, refs: await remoteRefs(repo) }).toEqual({ code: 1, refs: [] })
})

async function withCheckpoint(): Promise<RecordedRepo> {
  const repo = await repoWithStep()
  await repo.commitAs('human', 'work', 'a.txt')
  return repo
}

const checkpoints = 'refs/heads/entire/checkpoints/v1'

test.each([['--dry-run'], ['-n'], ['-fn']])('a push with %s pushes no checkpoints', async (flag) => {
  await using repo = await withCheckpoint()
  expect((await repo.run(['git', 'push', flag, 'origin', 'main'])).code).toBe(0)
  await repo.git('config', 'alias.try', `push ${flag}`)
  expect((await repo.run(['git', 'try', 'origin', 'main'])).code).toBe(0)
  expect(await remoteRefs(repo)).toEqual([])
  expect((await repo.run(['git', 'push', 'origin', 'main'])).code).toBe(0)
  expect(await remoteRefs(repo)).toEqual([checkpoints, 'refs/heads/main'])
})

test('a push that is rejected pushes no checkpoints, one that has nothing new does', async () => {
  await using repo = await withCheckpoint()
  const other = `${repo.base}/other`
  await repo.git('clone', '--quiet', repo.root, other)
  await repo.git('-C', other, 'push', '--quiet', `${repo.base}/origin.git`, 'HEAD~1:refs/heads/main')
  const author = ['-c', 'user.name=other', '-c', 'user.email=other@example.com']
  await repo.git('-C', other, ...author, 'commit', '--quiet', '--allow-empty', '-m', 'theirs')
  await repo.git('-C', other, 'push', '--quiet', '--force', `${repo.base}/origin.git`, 'HEAD:refs/heads/main')
  await repo.git('commit', '--quiet', '--amend', '--no-verify', '-m', 'mine')
  const rejected = await repo.run(['git', 'push', 'origin', 'main'])
  expect({ code: rejected.code, refs: await remoteRefs(repo) }).toEqual({
    code: 1,
    refs: ['refs/heads/main'],
  })
  await repo.git('push', '--quiet', '--no-verify', '--force', 'origin', 'main')
  expect(await remoteRefs(repo)).toEqual(['refs/heads/main'])
  await repo.git('push', '--quiet', 'origin', 'main')
  expect(await remoteRefs(repo)).toEqual([checkpoints, 'refs/heads/main'])
})

test.each([[1], [2], [137]])('a program that fails with %d stops no push', async (code) => {
  await using repo = await withCheckpoint()
  const broken = `${repo.base}/bin/entire`
  rmSync(broken)
  writeFileSync(broken, `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 })
  expect((await repo.run(['git', 'push', 'origin', 'main'])).code).toBe(0)
  expect(await remoteRefs(repo)).toEqual(['refs/heads/main'])
})

async function withFork(): Promise<RecordedRepo> {
  const repo = await withCheckpoint()
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', `${repo.base}/fork.git`)
  await repo.git('remote', 'add', 'fork', `${repo.base}/fork.git`)
  return repo
}

const commandIn = (stderr: string) => /^\[entire\] {3}(git push .*)$/m.exec(stderr)?.[1] ?? ''

test('checkpoints are not taken to a remote that is not chosen for them, unless they are named', async () => {
  await using repo = await withFork()
  expect((await repo.run(['git', 'push', '--all', 'origin'])).code).toBe(0)
  expect(await remoteRefs(repo)).toEqual([checkpoints, 'refs/heads/main'])
  await repo.git('fetch', '--quiet', 'origin')
  const patterns = [
    ['--all', 'fork'],
    ['fork', 'refs/heads/*:refs/heads/*'],
    ['--mirror', 'fork'],
    ['--all', `${repo.base}/fork.git`],
  ]
  for (const args of patterns) {
    const stopped = await repo.run(['git', 'push', ...args])
    expect({ args, code: stopped.code, refs: await remoteRefs(repo, 'fork') }).toEqual({
      args,
      code: 1,
      refs: [],
    })
    // A mirror has removed steps as well.
    expect(stopped.stderr).toMatch(/\[entire\] The push was stopped: it would publish (?:checkpoints|steps)/)
    expect(stopped.stderr).not.toContain('were not pushed')
    const command = commandIn(stopped.stderr)
    expect(command).not.toContain('entire/')
    expect((await repo.run(['sh', '-c', command])).code).toBe(0)
    expect(await remoteRefs(repo, 'fork')).toContain('refs/heads/main')
    // Git names only what is new: then the checkpoints are alone.
    const again = await repo.run(['git', 'push', ...args])
    const refs = await remoteRefs(repo, 'fork')
    expect({ args, code: again.code, ours: refs.filter((ref) => ref.includes('entire')) }).toEqual({
      args,
      code: 1,
      ours: [],
    })
    for (const ref of refs) await repo.git('-C', `${repo.base}/fork.git`, 'update-ref', '-d', ref)
  }
  expect((await repo.run(['git', 'push', 'fork', 'main', 'entire/checkpoints/v1'])).code).toBe(0)
  expect(await remoteRefs(repo, 'fork')).toEqual([checkpoints, 'refs/heads/main'])
  expect((await repo.run(['git', 'push', 'fork', '--delete', 'entire/checkpoints/v1'])).code).toBe(0)

  await repo.git('push', '--quiet', 'origin', '--delete', 'entire/checkpoints/v1')
  await repo.entire(['configure', 'push_sessions', 'false'])
  const off = await repo.run(['git', 'push', '--all', 'origin'])
  expect({ code: off.code, refs: await remoteRefs(repo) }).toEqual({ code: 1, refs: ['refs/heads/main'] })
  await repo.entire(['disable'])
  expect((await repo.run(['git', 'push', '--all', 'origin'])).code).toBe(1)
  await repo.entire(['enable'])
  await repo.entire(['configure', 'push_sessions', 'true'])

  // What is left of a mirror without the steps is the user's alone.
  repo.write('secrets.txt', 'changed\n')
  await fakeAgent(repo).turn('more', { 'b.txt': 'b\n' })
  const mirror = await repo.run(['git', 'push', '--mirror', 'fork'])
  expect(mirror.stderr).toContain('it would publish steps')
  expect(commandIn(mirror.stderr)).toContain('git push fork ')
  expect(commandIn(mirror.stderr)).not.toContain('entire/')
})

test('trees and files of steps are not pushed, those of commits are', async () => {
  await using repo = await repoWithStep()
  const [shadow = ''] = await repo.shadows()
  await repo.git('tag', 'tree', `${shadow}^{tree}`)
  await repo.git('tag', '--annotate', '-m', 'a tag', 'marked', `${shadow}:secrets.txt`)
  const blob = await repo.git('rev-parse', `${shadow}:secrets.txt`)
  const made = await repo.run(['git', 'mktree'], { stdin: `100644 blob ${blob}\tinnocent.txt\n` })
  const told: [string, number][] = []
  const refspecs = [
    `${shadow}^{tree}:refs/tags/t`,
    `${blob}:refs/tags/t2`,
    `${Buffer.from(made.stdout).toString().trim()}:refs/tags/t3`,
    'tree',
    'marked',
    `${await repo.git('rev-parse', 'main^{tree}')}:refs/tags/mine`,
    `${await repo.git('rev-parse', 'main:.gitignore')}:refs/tags/file`,
  ]
  for (const refspec of refspecs)
    told.push([refspec, (await repo.run(['git', 'push', 'origin', refspec])).code])
  expect(told).toEqual(refspecs.map((refspec, at) => [refspec, at < 5 ? 1 : 0]))
  const refs = await remoteRefs(repo)
  expect(refs.filter((ref) => /\/(?:t\d?|tree|marked)$/.test(ref))).toEqual([])
})
