// Sends payloads with escape sequences and with a byte order mark: nothing reaches the terminal raw, and
// everything is recorded.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { agents } from '../../src/agents/all.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

setDefaultTimeout(120_000)

// Clears the screen, sets the title, moves the cursor; the last is a control character of eight bits.
const evil = '\x1b[2J\x1b]0;owned\x07\x1b[1;1Hevil\u009b31m'
const raw = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/

const hooked = agents.filter(({ hookNames }) => hookNames.length > 0)

test.each(hooked.map(({ name, hookNames }) => [name, hookNames] as const))(
  '%s: escape sequences of a payload are not echoed',
  async (agent, verbs) => {
    await using repo = await recordedRepo({
      agent,
      env: { ENTIRE_TEST_OPENCODE_MOCK_EXPORT: '1' },
      isCommitted: true,
    })
    for (const verb of [...verbs, evil]) {
      for (const id of [`s-${evil}`, `../${evil}`, `${evil}/x`]) {
        const payload = {
          ...{
            session_id: id,
            sessionId: id,
            conversation_id: id,
            cwd: repo.root,
            prompt: evil,
            model: evil,
          },
          ...{ transcript_path: `/${evil}`, transcriptPath: `/${evil}`, session_file: `/${evil}` },
          ...{ tool_name: evil, toolName: evil, tool_use_id: evil, tool_call_id: evil, agent_id: evil },
          ...{ tool_input: { description: evil, subagent_type: evil }, source: evil, reason: evil },
        }
        const { code, out, err } = await repo.entire(['hooks', agent, verb], {
          stdin: JSON.stringify(payload),
        })
        expect([verb, code, raw.exec(out + err)?.[0]]).toEqual([verb, 0, undefined])
      }
    }
  },
)

test('escape sequences in prompts, ids and file names reach no output of a turn or of a commit', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo, { session: `s-${evil}` })
  const said: string[] = []
  const hook = async (verb: string, fields: object = {}) => {
    const ran = await agent.hook(verb, fields as Record<string, unknown>)
    said.push(ran.out, ran.err)
  }
  await hook('session-start', { source: 'startup' })
  await hook('user-prompt-submit', { prompt: `do it ${evil}` })
  agent.write(`file-${evil.replaceAll('/', '')}.txt`, 'one\n')
  await hook('stop')
  await repo.git('add', '--all')
  said.push(await repo.gitAs('agent', ['commit', '--quiet', '-m', `work ${evil}`]))
  await hook('session-end', { reason: 'other' })
  expect(said.join('').replaceAll(/\\u00[0-9a-f]{2}/g, '')).not.toMatch(raw)
  expect(await repo.checkpointsOf()).toHaveLength(1)
})

test.each(['\uFEFF', '\uFEFF \n'])('a payload behind the mark %j is read', async (mark) => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const payload = {
    session_id: agent.session,
    transcript_path: agent.transcript,
    cwd: repo.root,
    prompt: 'do it',
  }
  const ran = await repo.entire(['hooks', 'claude-code', 'user-prompt-submit'], {
    stdin: `${mark}${JSON.stringify(payload)}`,
  })
  expect(ran.err).not.toContain('not a JSON object')
  expect(repo.hasState(agent.session)).toBe(true)
})
