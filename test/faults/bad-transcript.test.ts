// Records turns with missing, endless, torn or invalid transcripts: at most the conversation is lost, never
// the files.
import { expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { expectReadable, expectRecorded, readParts } from './faulty-repo.ts'

setDefaultTimeout(60_000)

const text = (name: string) => `the first line of ${name}\nthe second line of ${name}\n`

test('a transcript that does not exist costs the conversation, not the files', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  rmSync(agent.transcript)
  repo.write('a', text('a'))
  expect(await agent.hook('stop')).toMatchObject({ code: 0 })
  await repo.commitAs('human', 'a')
  const [id = ''] = await repo.checkpointsOf()
  expect(JSON.parse(await repo.stored(id, '0/metadata.json')).files_touched).toContain('a')
})

// What is wrong with the transcript, as a change to the file before the turn ends.
const transcripts: Record<string, (path: string) => void> = {
  'two gigabytes of nothing': (path) => truncateSync(path, 2 * 1024 ** 3),
  'one line without end': (path) =>
    appendFileSync(path, `{"type": "user", "text": "${'x'.repeat(60 * 1024 ** 2)}`),
  'a directory': (path) => {
    renameSync(path, `${path}.moved`)
    mkdirSync(path)
  },
  'a link to itself': (path) => {
    rmSync(path)
    symlinkSync(path, path)
  },
}

test.each(Object.entries(transcripts))(
  'a transcript that is %s costs the conversation, not the files',
  async (_name, spoil) => {
    await using repo = await recordedRepo()
    const agent = fakeAgent(repo)
    await agent.prompt('work')
    agent.write('a', text('a'))
    spoil(agent.transcript)
    const ran = await agent.hook('stop')
    expect(ran.code).toBe(0)
    expect(ran.err).not.toMatch(/failed:|\n\s+at /)
    await repo.commitAs('human', 'a')
    const [id = ''] = await repo.checkpointsOf()
    expect(JSON.parse(await repo.stored(id, '0/metadata.json')).files_touched).toContain('a')
    await expectReadable(repo)
  },
)

test('a transcript with invalid UTF-8, NUL and half lines is stored line by line', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  appendFileSync(agent.transcript, Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x0a, 0x0a]))
  appendFileSync(agent.transcript, 'not JSON at all\n{"type":"assistant","message":\n')
  agent.write('a', text('a'))
  appendFileSync(agent.transcript, '{"type":"assistant","mess')
  await agent.stop()
  await repo.commitAs('human', 'a')
  const [id = ''] = await repo.checkpointsOf()
  const [part] = await readParts(repo, id)
  expect(part?.files).toContain('a')
  expect(part?.transcript).toContain('not JSON at all\n')
  expect(part?.transcript).not.toContain('"mess\n')
  expect(part?.transcript.split('\n').at(-2)).toContain('tool_use')
})

test('a transcript whose last line is completed after the turn is complete in the next checkpoint', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  agent.write('a', text('a'))
  const whole = readFileSync(agent.transcript)
  truncateSync(agent.transcript, whole.length - 30)
  repo.write('a', text('a'))
  await agent.stop()
  writeFileSync(agent.transcript, whole)
  await agent.turn('more', { b: text('b') })
  await repo.commitAs('human', 'both')
  await expectRecorded(repo, 'HEAD', ['a', 'b'], agent)
})
