// Puts garbage into files of the program: recording goes on, and loses nothing that can still be known.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rotatingRows, rotationTitle } from '../support/rotation.ts'
import { expectLinksHold, expectReadable, expectRecorded } from './faulty-repo.ts'

setDefaultTimeout(60_000)

const text = (name: string) => `the first line of ${name}\nthe second line of ${name}\n`

const contents: Record<string, string | Buffer> = {
  empty: '',
  'cut off': '{"session_id": "5e55',
  'no JSON': '\0\0\0 garbage \xff',
  'the wrong JSON': '[1, {"sessions": 5}]',
  'an object of nonsense':
    '{"session_id": 5, "sessions": {"../../etc": {"files": [5]}, "": null, "nobody": 7}, "files": "x", "signature": [], "checkpoint": {}, "at": "soon"}',
  'not UTF-8': Buffer.from([0xff, 0xfe, 0x80, 0x00, 0xc3, 0x28]),
}

const places: Record<string, (repo: RecordedRepo, agent: FakeAgent) => string> = {
  'the state of the session': ({ repo }, agent) =>
    join(repo.commonDir, 'entire-sessions', `${agent.session}.json`),
  'the index of sessions': ({ repo }) => join(repo.gitDir, 'entire-live.json'),
  'the cached configuration': ({ repo }) => join(repo.gitDir, 'entire-config.json'),
  'the note of a commit': ({ repo }) => join(repo.gitDir, 'entire-pending.json'),
  'the note of a rewritten commit': ({ repo }) => join(repo.gitDir, 'entire-rewrite'),
  'the state before the prompt': ({ repo }, agent) =>
    join(repo.gitDir, 'entire-tmp', `pre-prompt-${agent.session}.json`),
  'the prompts': ({ root }, agent) => join(root, '.entire/metadata', agent.session, 'prompt.txt'),
  'the local settings': ({ root }) => join(root, '.entire/settings.local.json'),
}

const placeNames = Object.keys(places)

test.each(Object.entries(places))(
  `with garbage in %s, the turn is recorded (${rotationTitle})`,
  async (place, find) => {
    await using repo = await recordedRepo({ isCommitted: true })
    for (const [round, content] of rotatingRows(
      Object.values(contents),
      placeNames.indexOf(place),
    ).entries()) {
      const agent = fakeAgent(repo)
      await agent.turn('first', { [`a${round}`]: text(`a${round}`) })
      await agent.prompt('second')
      agent.write(`b${round}`, text(`b${round}`))
      put(find(repo, agent), content)
      await agent.stop()
      await repo.commitAs('human', 'both')
      await expectRecorded(repo, 'HEAD', [`a${round}`, `b${round}`], agent)
    }
    await expectReadable(repo)
  },
)

test('a commit with garbage in the index of live sessions gets its checkpoint', async () => {
  await using repo = await recordedRepo()
  for (const [round, content] of Object.values(contents).entries()) {
    const agent = fakeAgent(repo)
    await agent.turn('first', { [`a${round}`]: text(`a${round}`) })
    put(join(repo.repo.gitDir, 'entire-live.json'), content)
    await repo.commitAs('human', 'a')
    await expectRecorded(repo, 'HEAD', [`a${round}`], agent)
  }
})

test('a commit with garbage in a session state is made, and the files are in the next checkpoint', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('first', { a: text('a') })
  const state = join(repo.repo.commonDir, 'entire-sessions', `${agent.session}.json`)
  put(state, 'garbage')
  await repo.commitAs('human', 'a')
  await expectLinksHold(repo)
  await agent.turn('second', { b: text('b') })
  await repo.commitAs('human', 'b')
  await expectRecorded(repo, 'HEAD', ['a', 'b'], agent)
  expect(readFileSync(`${state}.corrupt`, 'utf8')).toBe('garbage')
})

test('a state file of two gigabytes is set aside', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('first', { a: text('a') })
  const state = join(repo.repo.commonDir, 'entire-sessions', `${agent.session}.json`)
  truncateSync(state, 2 * 1024 ** 3)
  await agent.turn('second', { b: text('b') })
  await repo.commitAs('human', 'both')
  await expectRecorded(repo, 'HEAD', ['a', 'b'], agent)
})

test('directories in the place of files are handled like garbage', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const config = join(repo.repo.gitDir, 'entire-config.json')
  rmSync(config, { force: true })
  mkdirSync(config)
  await agent.turn('first', { a: text('a') })
  await repo.commitAs('human', 'a')
  await expectRecorded(repo, 'HEAD', ['a'], agent)
  expect(existsSync(config)).toBe(true)
})

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
