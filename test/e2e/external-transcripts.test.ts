// Records and restores transcripts of unknown form: in any encoding and layout, with or without times.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type ExternalRepo, repoWithSample, shellAgent } from '../support/external-repo.ts'

setDefaultTimeout(60_000)

const secret = ['AKIA', 'YRWQG5EJLPZLBYNP'].join('')

/** One turn that leaves these bytes as the transcript, and its commit. */
async function record(
  repo: ExternalRepo,
  agent: Awaited<ReturnType<typeof shellAgent>>,
  bytes: Buffer,
  file = 'a.txt',
): Promise<string> {
  await agent.hook('prompt', { prompt: 'write' })
  writeFileSync(agent.transcript, bytes)
  repo.write(file, 'text\n')
  await agent.hook('stop')
  await repo.commitAs('human', 'a file', file)
  return await repo.checkpointOf()
}

const encodings: Record<string, (text: string) => Buffer> = {
  'in Latin-1': (text) => Buffer.from(text, 'latin1'),
  'in UTF-8 with broken bytes': (text) =>
    Buffer.concat([Buffer.from(text), Buffer.from([0x0a, 0xc3, 0x28, 0xff, 0xed, 0xa0, 0x80])]),
  'in UTF-16': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'in UTF-16, big end first': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
}

test.each(Object.entries(encodings))('a transcript %s is restored byte for byte', async (_title, encode) => {
  await using repo = await repoWithSample()
  const agent = await shellAgent(repo)
  const bytes = encode('# Gespräch\n\n> Grüße\n\n* a.txt\nSchön.')
  await record(repo, agent, bytes)
  rmSync(agent.transcript)
  expect(await repo.entire(['resume'])).toMatchObject({ code: 0 })
  expect(readFileSync(agent.transcript).equals(bytes)).toBe(true)
})

test.each(Object.entries(encodings))(
  'a transcript %s is stored without its secrets, and with everything else',
  async (_title, encode) => {
    await using repo = await repoWithSample()
    const agent = await shellAgent(repo)
    await record(repo, agent, encode(`# Gespräch\nkey = ${secret}\nGrüße\n`))
    rmSync(agent.transcript)
    await repo.entire(['resume'])
    expect(readFileSync(agent.transcript).equals(encode('# Gespräch\nkey = REDACTED\nGrüße\n'))).toBe(true)
  },
)

test('lines that are not UTF-8 are stored byte for byte, also when more are appended', async () => {
  await using repo = await repoWithSample()
  const agent = await shellAgent(repo)
  const line = (text: string) => Buffer.from(`${JSON.stringify({ user: text })}\n`, 'latin1')
  await record(repo, agent, line('Grüße'))
  const all = Buffer.concat([line('Grüße'), line('schöne')])
  await record(repo, agent, all, 'b.txt')
  rmSync(agent.transcript)
  await repo.entire(['resume'])
  expect(readFileSync(agent.transcript).equals(all)).toBe(true)
})

test.each([
  ['', ''],
  [' that ends with a newline', '\n'],
])(
  'a document of one line%s is read by messages: the second commit has only those after the first',
  async (_title, end) => {
    await using repo = await repoWithSample()
    const agent = await shellAgent(repo)
    const document = (...turns: string[]) =>
      Buffer.from(
        JSON.stringify({
          session: 'sample-session',
          messages: turns.flatMap((text) => [
            { role: 'user', content: text },
            { role: 'assistant', content: `did ${text}` },
          ]),
        }) + end,
      )
    await record(repo, agent, document('one'))
    const id = await record(repo, agent, document('one', 'two'), 'b.txt')
    const { out } = await repo.entire(['explain', '-c', id])
    expect(out).toContain('[Assistant] did two')
    expect(out).not.toContain('[Assistant] did one')
    rmSync(agent.transcript)
    await repo.entire(['resume'])
    expect(readFileSync(agent.transcript, 'utf8')).toBe(document('one', 'two').toString())
  },
)

test('a log without times that equals the stored one stays untouched', async () => {
  await using repo = await repoWithSample()
  const agent = await shellAgent(repo)
  await agent.turn('one', { 'a.txt': '1\n' })
  await repo.commitAs('human', 'a', 'a.txt')
  const { code, out } = await repo.entire(['resume', '--json'])
  expect({ code, sessions: JSON.parse(out).sessions }).toMatchObject({
    code: 0,
    sessions: [{ state: 'unchanged' }],
  })
})

test('a log without times that is longer than the stored one is not replaced unasked', async () => {
  await using repo = await repoWithSample()
  const agent = await shellAgent(repo)
  await agent.turn('one', { 'a.txt': '1\n' })
  await repo.commitAs('human', 'a', 'a.txt')
  agent.say({ user: 'more' })
  const grown = readFileSync(agent.transcript, 'utf8')
  const { code, err } = await repo.entire(['resume'])
  expect({ code, err }).toMatchObject({
    code: 2,
    err: expect.stringContaining('newer entries than the checkpoint'),
  })
  expect(err).not.toContain('(unknown)')
  expect(await repo.entire(['resume', agent.session])).toMatchObject({
    code: 0,
    err: expect.stringContaining('is newer'),
  })
  expect(readFileSync(agent.transcript, 'utf8')).toBe(grown)
  expect(await repo.entire(['resume', '--force'])).toMatchObject({ code: 0 })
  expect(grown).toStartWith(readFileSync(agent.transcript, 'utf8'))
  expect(readdirSync(dirname(agent.transcript)).some((name) => name.includes('.backup-'))).toBe(true)
})

test('a log without times that is the beginning of the stored one is completed', async () => {
  await using repo = await repoWithSample()
  const agent = await shellAgent(repo)
  await agent.turn('one', { 'a.txt': '1\n' })
  await repo.commitAs('human', 'a', 'a.txt')
  const whole = readFileSync(agent.transcript, 'utf8')
  writeFileSync(agent.transcript, whole.slice(0, whole.indexOf('\n') + 1))
  const { out } = await repo.entire(['resume', '--json'])
  expect(JSON.parse(out).sessions).toMatchObject([{ state: 'checkpoint-newer' }])
  expect(readFileSync(agent.transcript, 'utf8')).toBe(whole)
  // A different conversation: the longer one counts as the newer.
  writeFileSync(agent.transcript, 'x')
  appendFileSync(agent.transcript, whole)
  expect(await repo.entire(['resume'])).toMatchObject({ code: 2 })
})
