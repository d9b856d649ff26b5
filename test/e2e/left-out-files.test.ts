// Tests that files which a step cannot hold are named wherever that matters.
import { expect, test } from 'bun:test'
import { existsSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

/** So many thousand bytes, which differ from name to name. */
const filled = (name: string, thousands: number) => `${name} `.repeat(1_000).slice(0, 1_000).repeat(thousands)

const line = (name: string) => `export const ${name} = '${name}'\n`

test('files that are too large for a step are named by the hook, by status and by rewind', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('make videos')
  for (const name of ['1', '2', '3', '4']) {
    repo.write(`video-${name}.mp4`, '')
    truncateSync(join(repo.root, `video-${name}.mp4`), 51 * 1024 * 1024)
  }
  agent.write('a.ts', line('a'))
  const { err } = await agent.hook('stop')
  expect(err).toContain('4 files are not in the step')
  expect(err).toContain('video-1.mp4, video-2.mp4, video-3.mp4')
  const status = await repo.entire(['status'])
  expect(status.out + status.err).toContain('video-1.mp4')
  const list = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    id: string
    left_out?: string[]
  }[]
  expect(list[0]?.left_out).toHaveLength(4)
  repo.write('a.ts', line('changed'))
  const preview = await repo.entire(['rewind', '--to', list[0]?.id ?? '', '--dry-run'])
  expect(preview.out + preview.err).toContain('video-1.mp4')
  for (const name of ['1', '2', '3', '4']) repo.remove(`video-${name}.mp4`)
  await agent.turn('write b', { 'b.ts': line('b') })
  const after = await repo.entire(['status'])
  expect(after.out + after.err).not.toContain('mp4')
})

test('a rewind leaves a file alone that the step could not hold', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('make a video')
  agent.write('a.ts', line('a'))
  agent.write('video.mp4', '')
  truncateSync(join(repo.root, 'video.mp4'), 51 * 1024 * 1024)
  await agent.stop()
  const step = await repo.git('rev-parse', repo.shadow(await repo.head()))
  await agent.turn('make it smaller', { 'video.mp4': 'smaller\n', 'a.ts': line('b') })
  const { code, err } = await repo.entire(['rewind', '--to', step])
  expect({ code, a: repo.read('a.ts'), video: repo.read('video.mp4') }).toEqual({
    code: 0,
    a: line('a'),
    video: 'smaller\n',
  })
  expect(err).toContain('Keep: video.mp4 (not in the step')
})

const namesIn = async (repo: RecordedRepo) =>
  (await repo.git('ls-tree', '--name-only', repo.shadow(await repo.head())))
    .split('\n')
    .filter((name) => name.endsWith('.bin'))

test('untracked files beyond the sum for a step are left out, the largest first, and named', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('.entire/settings.local.json', '{"max_untracked_mb": 1}')
  const agent = fakeAgent(repo)
  await agent.prompt('build')
  for (const [name, size] of [
    ['a', 300],
    ['b', 400],
    ['c', 600],
  ] as const)
    agent.write(`${name}.bin`, filled(name, size))
  const { err } = await agent.hook('stop')
  expect(err).toContain('1 file is not in the step (too large, too much or unreadable): c.bin')
  expect(await namesIn(repo)).toEqual(['a.bin', 'b.bin'])
  const status = await repo.entire(['status'])
  expect(status.out + status.err).toContain('c.bin')
  // What is in a step stays in it when smaller files come: d fits beside a and b, e does not.
  await agent.turn('build more', { 'd.bin': filled('d', 250), 'e.bin': filled('e', 260) })
  expect(await namesIn(repo)).toEqual(['a.bin', 'b.bin', 'd.bin'])
  const step = await repo.git('rev-parse', repo.shadow(await repo.head()))
  const list = JSON.parse((await repo.entire(['rewind', '--list'])).out) as { left_out?: string[] }[]
  expect(list[0]?.left_out).toEqual(['c.bin', 'e.bin'])
  repo.remove('b.bin')
  await agent.turn('remove one', { 'c.bin': filled('c', 500), 'f.bin': 'f\n' })
  expect(await namesIn(repo)).toEqual(['a.bin', 'd.bin', 'e.bin', 'f.bin'])
  // A rewind deletes no file that the step could not hold.
  const { code } = await repo.entire(['rewind', '--to', step])
  expect({ code, c: repo.read('c.bin'), e: repo.read('e.bin') }).toEqual({
    code: 0,
    c: filled('c', 500),
    e: filled('e', 260),
  })
  expect(existsSync(join(repo.root, 'f.bin'))).toBe(false)
})

test('a commit of a file that no step holds is linked', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('.entire/settings.local.json', '{"max_untracked_mb": 1}')
  await fakeAgent(repo).turn('build', { 'a.bin': filled('a', 300), 'b.bin': filled('b', 900) })
  expect(await namesIn(repo)).toEqual(['a.bin'])
  await repo.commitAs('human', 'the larger one', 'b.bin')
  expect(await repo.checkpointOf()).toMatch(/^[0-9a-f]{12}$/)
})

test('undo keeps a file that the turn’s step could not hold, and says why', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('.entire/settings.local.json', '{"max_untracked_mb": 1}')
  const agent = fakeAgent(repo)
  await agent.turn('build', {
    'one.bin': filled('one', 600),
    'two.bin': filled('two', 700),
    'a.ts': line('a'),
  })
  for (const flags of [[], ['--everything']]) {
    const { code, out, err } = await repo.entire(['undo', '--dry-run', ...flags])
    expect({ code, isNamed: (out + err).includes('Keep: two.bin (not in the step') }).toEqual({
      code: 0,
      isNamed: true,
    })
    expect(out + err).toContain('Delete: one.bin')
  }
  expect((await repo.entire(['undo', '--everything'])).code).toBe(0)
  expect(['one.bin', 'two.bin'].map((name) => existsSync(join(repo.root, name)))).toEqual([false, true])
})

test('files that git was told to overlook, and repositories inside, are named by status and undo', async () => {
  await using repo = await recordedRepo()
  for (const name of ['assumed.ts', 'skipped.ts', 'same.ts']) repo.write(name, line('before'))
  await repo.commit('set up')
  await repo.git('update-index', '--assume-unchanged', 'assumed.ts', 'same.ts')
  await repo.git('update-index', '--skip-worktree', 'skipped.ts')
  const agent = fakeAgent(repo)
  const changes = { 'assumed.ts': line('a'), 'skipped.ts': line('s'), 'z.ts': line('z') }
  await agent.turn('change them', changes)
  await repo.git('init', '--quiet', 'inner')
  for (const args of [['status'], ['undo', '--dry-run'], ['undo']]) {
    const { code, out, err } = await repo.entire(args)
    expect({ args, code, said: out + err }).toEqual({
      args,
      code: 0,
      said: expect.stringMatching(
        /assume-unchanged or skip-worktree\): assumed.ts, skipped.ts\n[\s\S]*in no step: inner\//,
      ),
    })
  }
  expect([repo.read('assumed.ts'), existsSync(join(repo.root, 'z.ts'))]).toEqual([line('a'), false])
})
