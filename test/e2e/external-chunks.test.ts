// Records, shows and restores large transcripts that plugins cut into chunks, whatever the plugins do.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkpointDir, metadataRef, sessionPaths } from '../../src/checkpoints/layout.ts'
import { chunkBytes } from '../../src/checkpoints/transcript-chunks.ts'
import { type ExternalRepo, forgetCalls, repoWithSample, shellAgent } from '../support/external-repo.ts'
import { cutAsPlugin, longList, ownChunks } from '../support/own-chunks.ts'
import { putCommit } from '../support/put-commit.ts'

setDefaultTimeout(120_000)

const secret = ['AKIA', 'YRWQG5EJLPZLBYNP'].join('')

const enabledRepo = (defect = '') => repoWithSample(`${defect}\n${ownChunks}`)

type ShellAgent = Awaited<ReturnType<typeof shellAgent>>

/** Plays one turn that leaves this transcript, and returns the messages of its hook. */
async function turn(
  repo: ExternalRepo,
  agent: ShellAgent,
  transcript: string,
  content = 'text\n',
): Promise<string> {
  await agent.hook('prompt', { prompt: 'write' })
  writeFileSync(agent.transcript, transcript)
  repo.write('a.txt', content)
  return (await agent.hook('stop')).err
}

async function record(repo: ExternalRepo, agent: ShellAgent, transcript: string): Promise<string> {
  await turn(repo, agent, transcript)
  await repo.commitAs('human', 'a file', 'a.txt')
  return await repo.checkpointOf()
}

const asked = (agent: ShellAgent, subcommand: string) =>
  agent.calls().filter((call) => call.startsWith(subcommand)).length

test('a document is stored in the chunks of its plugin, and restored byte for byte', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  const text = longList(4_300_000)
  const id = await record(repo, agent, text)
  const chunks = await cutAsPlugin(text, chunkBytes)
  expect(chunks).toHaveLength(2)
  expect(
    (await repo.stored(id, '0/full.jsonl')) === chunks[0] &&
      (await repo.stored(id, '0/full.jsonl.001')) === chunks[1],
  ).toBe(true)
  expect(await repo.stored(id, '0/content_hash.txt')).toBe(
    `sha256:${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`,
  )
  const raw = await repo.entire(['explain', '-c', id, '--raw-transcript'])
  expect({ err: raw.err, isSame: raw.out === text }).toEqual({ err: '', isSame: true })
  expect((await repo.entire(['explain', '-c', id, '--full', '--no-pager'])).out).toContain(
    '[Assistant] 1 word',
  )
  rmSync(agent.transcript)
  forgetCalls(repo)
  expect(await repo.entire(['resume'])).toMatchObject({ code: 0 })
  expect(readFileSync(agent.transcript, 'utf8') === text).toBe(true)
  expect(asked(agent, 'reassemble-transcript')).toBe(1)
  // A second resume finds the log in place.
  expect(JSON.parse((await repo.entire(['resume', '--json'])).out).sessions).toMatchObject([
    { state: 'unchanged' },
  ])
})

test('a step stores the chunks as well, and a rewind restores the document', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  const [first, second] = [longList(4_300_000), longList(4_800_000)]
  await turn(repo, agent, first, 'one\n')
  await turn(repo, agent, second, 'two\n')
  const listed = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    id: string
    is_before_turn?: boolean
  }[]
  const points = listed.filter(({ is_before_turn }) => !is_before_turn)
  expect(await repo.entire(['rewind', '--to', points.at(-1)?.id ?? ''])).toMatchObject({ code: 0 })
  expect(repo.read('a.txt')).toBe('one\n')
  expect(readFileSync(agent.transcript, 'utf8') === first).toBe(true)
})

test('a commit does not cut again what the turn has cut', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  await turn(repo, agent, longList(4_300_000))
  expect(asked(agent, 'chunk-transcript')).toBe(1)
  await repo.commitAs('human', 'a file', 'a.txt')
  expect(asked(agent, 'chunk-transcript')).toBe(1)
})

test('secrets are redacted before the plugin cuts a transcript', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  const text = longList(4_300_000).replace('0 word', `0 key = ${secret} word`)
  await record(repo, agent, text)
  const given = readFileSync(join(repo.base, 'home', 'to-cut'), 'utf8')
  expect(given === text.replace(secret, 'REDACTED')).toBe(true)
})

test.each([
  ['small ones', longList(3_000_000)],
  ['ones that do not fit into its answer', longList(9_000_000)],
  ['lines', longList(4_300_000).slice(1, -1).replaceAll('},{', '}\n{').concat('\n')],
])('the plugin is not asked to cut %s', async (_title, text) => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  await record(repo, agent, text)
  rmSync(agent.transcript)
  expect(await repo.entire(['resume'])).toMatchObject({ code: 0 })
  expect(readFileSync(agent.transcript, 'utf8') === text).toBe(true)
  expect([asked(agent, 'chunk-transcript'), asked(agent, 'reassemble-transcript')]).toEqual([0, 0])
})

const on = (subcommand: string, act: string) =>
  `if [ "$1" = ${subcommand} ]; then cat > /dev/null; ${act}; exit 0; fi`

test.each([
  [
    'gives wrong chunks',
    on('chunk-transcript', `echo '{"chunks":["aGVsbG8="]}'`),
    'its chunks to the same bytes',
  ],
  ['prints garbage', on('chunk-transcript', 'echo hello'), 'gave an invalid answer'],
  ['hangs', on('chunk-transcript', 'sleep 60'), 'did not answer within 1 s'],
  ['joins to something else', on('reassemble-transcript', 'echo hello'), 'its chunks to the same bytes'],
])('if a plugin %s, Entire cuts the transcript itself, and nothing is lost', async (_title, defect, said) => {
  await using repo = await enabledRepo(defect)
  Object.assign(repo.env, { ENTIRE_TEST_PLUGIN_TIMEOUT_MS: '1000' })
  const agent = await shellAgent(repo)
  const text = longList(4_300_000)
  expect(await turn(repo, agent, text)).toContain(said)
  expect(repo.log().some(({ msg }) => String(msg).includes(said))).toBe(true)
  await repo.commitAs('human', 'a file', 'a.txt')
  rmSync(agent.transcript)
  expect(await repo.entire(['resume'])).toMatchObject({ code: 0 })
  expect(readFileSync(agent.transcript, 'utf8') === text).toBe(true)
})

/** A checkpoint as the reference program stores it, with chunks that the plugin made, however small. */
async function foreignChunks(
  repo: ExternalRepo,
  agent: ShellAgent,
  text: string,
): Promise<{ id: string; chunks: string[] }> {
  const id = await record(repo, agent, text)
  const { transcript } = sessionPaths(checkpointDir(id), 0)
  const chunks = await cutAsPlugin(text, 200_000)
  const files = Object.fromEntries(
    chunks.map((chunk, index) => [`${transcript}${index === 0 ? '' : `.00${index}`}`, chunk]),
  )
  await putCommit(repo.repo, metadataRef, { files })
  rmSync(agent.transcript)
  return { id, chunks }
}

test('chunks that the reference program stored are joined by the plugin', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  const text = longList(500_000)
  const { id } = await foreignChunks(repo, agent, text)
  const raw = await repo.entire(['explain', '-c', id, '--raw-transcript'])
  expect({ err: raw.err, isSame: raw.out === text }).toEqual({ err: '', isSame: true })
  expect(await repo.entire(['resume'])).toMatchObject({ code: 0 })
  expect(readFileSync(agent.transcript, 'utf8') === text).toBe(true)
})

test.each([
  ['hangs', on('reassemble-transcript', 'sleep 60')],
  ['gives something else', on('reassemble-transcript', 'echo hello')],
])('if the plugin %s, the chunks are concatenated, and a message says so', async (_title, defect) => {
  await using repo = await enabledRepo(defect)
  const agent = await shellAgent(repo)
  const { id, chunks } = await foreignChunks(repo, agent, longList(500_000))
  Object.assign(repo.env, { ENTIRE_TEST_PLUGIN_TIMEOUT_MS: '1000' })
  const raw = await repo.entire(['explain', '-c', id, '--raw-transcript'])
  expect({ code: raw.code, isSame: raw.out === chunks.join('\n') }).toEqual({ code: 0, isSame: true })
  expect(raw.err).toContain('were concatenated instead')
  const resumed = await repo.entire(['resume'])
  expect(resumed).toMatchObject({ code: 0, err: expect.stringContaining('were concatenated instead') })
})

test('if the plugin is missing, a message says so', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  const { id, chunks } = await foreignChunks(repo, agent, longList(500_000))
  rmSync(join(repo.bin, 'entire-agent-sample'))
  const raw = await repo.entire(['explain', '-c', id, '--raw-transcript'])
  expect({ code: raw.code, isSame: raw.out === chunks.join('\n') }).toEqual({ code: 0, isSame: true })
  expect(raw.err).toContain('was cut by Sample, which is unknown here')
})
