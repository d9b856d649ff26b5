// Records with redaction rules of a project that would take for ever: the hooks end, say which rule it is,
// and store nothing that the rule might have hidden.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, recordedRepo } from '../support/recorded-repo.ts'

setDefaultTimeout(120_000)

const slow = '[a-z ]{0,999}[a-z ]{0,999}'

test.each([
  ['redaction.rules', { rules: [{ label: 'SLOW', regex: `${slow}!` }] }],
  ['redaction.pii.custom_patterns', { pii: { enabled: true, custom_patterns: { SLOW: `${slow}!` } } }],
])('a rule in %s that takes too long hides what it could not be tried on', async (_name, redaction) => {
  await using repo = await recordedRepo()
  repo.write('.entire/settings.json', JSON.stringify({ enabled: true, redaction }))
  const agent = fakeAgent(repo)
  const said = 'the words of a prompt '.repeat(150)
  const hook = (verb: string, fields: object = {}) => {
    const payload = {
      session_id: agent.session,
      transcript_path: agent.transcript,
      cwd: repo.root,
      ...fields,
    }
    return repo.run(['timeout', '-k', '1', '60', binary, 'hooks', 'claude-code', verb], {
      stdin: JSON.stringify(payload),
    })
  }
  const start = await hook('user-prompt-submit', { prompt: said })
  expect(start.code).toBe(0)
  agent.log({ type: 'user', message: { role: 'user', content: said } })
  agent.write('a.txt', 'one\n')
  const stop = await hook('stop')
  expect(stop.code).toBe(0)
  expect(start.stderr + stop.stderr).toContain('[entire] The redaction rule "SLOW" takes too long.')
  expect(repo.log().some(({ msg }) => String(msg).includes('"SLOW" takes too long'))).toBe(true)
  const [branch = ''] = await repo.shadows()
  const stored = await repo.git('show', `${branch}:.entire/metadata/${agent.session}/full.jsonl`)
  expect(stored).not.toContain('the words of a prompt')
  expect(stored).toContain('[REDACTED_SLOW]')
  for (const line of stored.trimEnd().split('\n')) expect(JSON.parse(line)).toBeObject()
})
