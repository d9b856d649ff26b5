// Shows which rule finds which secret where, never the secret, and what was redacted from a checkpoint.
import { expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { secretCorpus } from '../support/secret-corpus.ts'

const token = `${'ghp'}_${'a1B2c3D4e5F6'.repeat(3)}`

test('`entire redact --check` prints rule and place of each secret, and fails', async () => {
  await using repo = await recordedRepo()
  repo.write('notes.txt', `fine\n  password: hunter2!x\nuse ${token} here\n`)
  const found = await repo.entire(['redact', '--check', 'notes.txt'])
  expect(found).toMatchObject({
    code: 1,
    out: 'notes.txt:2:13: password-value\nnotes.txt:3:5: github\n',
    err: '2 secrets found.\n',
  })
  const json = await repo.entire(['redact', '--check', '--json', 'notes.txt'])
  expect(json.code).toBe(1)
  expect(JSON.parse(json.out)).toEqual({
    findings: [
      { rule: 'password-value', line: 2, column: 13 },
      { rule: 'github', line: 3, column: 5 },
    ],
  })
  for (const text of [found.out, found.err, json.out]) expect(text).not.toMatch(/hunter2|a1B2c3/)
})

test('it reads standard input, and knows the place of a secret inside of JSON', async () => {
  await using repo = await recordedRepo()
  const input = `{"a":1}\n${JSON.stringify({ text: `tab\t"quoted" ${token}`, api_key: 'abc12345' })}\n`
  const { code, out } = await repo.entire(['redact', '--check'], { stdin: input })
  const line = input.split('\n')[1]!
  const columns = [line.indexOf(token) + 1, line.indexOf('abc12345') + 1]
  expect({ code, out }).toEqual({
    code: 1,
    out: `-:2:${columns[0]}: github\n-:2:${columns[1]}: secret-member\n`,
  })
  const clean = await repo.entire(['redact', '--check', '-'], { stdin: 'nothing here\n' })
  expect(clean).toMatchObject({ code: 0, out: '', err: 'No secrets found.\n' })
})

test('without --check it prints the text as it would be stored', async () => {
  await using repo = await recordedRepo()
  const { code, out } = await repo.entire(['redact'], { stdin: `a ${token}\nb\n` })
  expect({ code, out }).toEqual({ code: 0, out: 'a REDACTED\nb\n' })
})

test('what is used wrongly is refused', async () => {
  await using repo = await recordedRepo()
  expect(await repo.entire(['redact', '--json'], { stdin: '' })).toMatchObject({ out: '' })
  const missing = await repo.entire(['redact', 'missing.txt'])
  expect(missing.code).toBe(1)
  expect(missing.err).toContain('file not found: missing.txt')
  const directory = await repo.entire(['redact', '--check', '.git'])
  expect(directory).toMatchObject({ code: 2, err: expect.stringContaining('.git is a directory.') })
})

test('a checkpoint counts what was redacted from its transcript, by rule, and explain shows it', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn(`use ${token} and set the password to hunter2!x`, { 'a.txt': 'one\n' })
  await repo.commitAs('human', 'first')
  const { out } = await repo.entire(['explain', '--commit', 'HEAD', '--json'])
  const [{ sessions }] = JSON.parse(out)
  const [session] = sessions
  expect(session.redactions).toMatchObject({
    github: expect.any(Number),
    'password-value': expect.any(Number),
  })
  expect(out).not.toMatch(/hunter2|a1B2c3/)
  const shown = await repo.entire(['explain', '--commit', 'HEAD', '--no-pager'])
  expect(shown.out).toMatch(/^Redacted: \d+ secrets \(.*github \d+.*\)$/m)
})

test('the count of a checkpoint from the middle of a turn is completed at its end', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  agent.write('a.txt', 'one\n')
  await repo.commitAs('human', 'in the middle')
  agent.say(`I used ${token}.`)
  await agent.stop()
  const { out } = await repo.entire(['explain', '--commit', 'HEAD', '--json'])
  const [{ sessions }] = JSON.parse(out)
  expect(sessions[0].redactions).toEqual({ github: 1 })
})

test('names of files and branches in the metadata hold no tokens of a known format', async () => {
  await using repo = await recordedRepo()
  await repo.git('switch', '-q', '-c', `fix/${token}`)
  const agent = fakeAgent(repo)
  await agent.turn('write it', {
    [`keys/${token}.txt`]: 'one\n',
    'a-file-with-a-long-name-2026.txt': 'two\n',
  })
  await repo.commitAs('human', 'first')
  const { out } = await repo.entire(['explain', '--commit', 'HEAD', '--json'])
  const [checkpoint] = JSON.parse(out)
  expect(checkpoint.branch).toBe('fix/REDACTED')
  expect(checkpoint.files_touched.sort()).toEqual(['a-file-with-a-long-name-2026.txt', 'keys/REDACTED.txt'])
})

test('a conversation full of secrets is resumed: the same lines, each of them JSON, and no secret', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const cases = secretCorpus(3).filter((_, at) => at % 97 === 0)
  await agent.prompt('show me')
  for (const one of cases) agent.say(one.text)
  agent.write('a.txt', 'one\n')
  await agent.stop()
  await repo.commitAs('human', 'first')
  const before = readFileSync(agent.transcript, 'utf8').trimEnd().split('\n')
  rmSync(agent.transcript)
  expect((await repo.entire(['resume', 'main'])).code).toBe(0)
  const after = readFileSync(agent.transcript, 'utf8').trimEnd().split('\n')
  const shape = (lines: string[]) =>
    lines.map((line) => JSON.parse(line)).map(({ uuid, type }) => ({ uuid, type }))
  expect(shape(after)).toEqual(shape(before))
  const text = after.join('\n')
  expect(cases.filter(({ secret }) => text.includes(secret)).length / cases.length).toBeLessThan(0.01)
})
