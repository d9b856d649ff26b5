// Tests that files which a step cannot hold are named wherever that matters.
import { expect, test } from 'bun:test'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

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
