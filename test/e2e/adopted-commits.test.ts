// Commits made in a turn where no hook could run are adopted at its end: each with its own files and tokens.
import { expect, test } from 'bun:test'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

async function commitWithoutHooks(repo: RecordedRepo, path: string, at: string): Promise<string> {
  await repo.git('add', '--', path)
  const args = ['-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '-m', path]
  await repo.gitAs('agent', args, { env: { GIT_COMMITTER_DATE: at } })
  return await repo.head()
}

async function adoptedSession(repo: RecordedRepo, rev: string): Promise<Record<string, unknown>> {
  const note = await repo.git('notes', '--ref=entire-checkpoints', 'show', rev)
  return await repo.storedSession(/Entire-Checkpoint: (\S+)/.exec(note)?.[1] ?? '')
}

const result = (agent: FakeAgent, content: string, timestamp?: string) =>
  agent.log({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
    ...(timestamp === undefined ? {} : { timestamp }),
  })

/** How the log tells when a commit was made. */
const signs: Record<string, (agent: FakeAgent, commit: string) => void> = {
  'by what git commit printed': (agent, commit) =>
    result(agent, `[main ${commit.slice(0, 7)}] work\n 1 file`),
  'by time alone': (agent) => result(agent, '', secondsFromNow(60)),
}

test.each(Object.entries(signs))(
  'two commits of a turn without hooks have files and tokens of their own: %s',
  async (_name, sign) => {
    await using repo = await recordedRepo({ isCommitted: true })
    const agent = fakeAgent(repo)
    await agent.prompt('make two commits')
    agent.write('a.txt', 'one\ntwo\n')
    const first = await commitWithoutHooks(repo, 'a.txt', secondsFromNow(1))
    sign(agent, first)
    agent.say('Now the other one.')
    agent.write('b.txt', 'three\n')
    const second = await commitWithoutHooks(repo, 'b.txt', secondsFromNow(120))
    agent.say('Done.')
    await agent.stop()
    expect(await adoptedSession(repo, first)).toMatchObject({
      files_touched: ['a.txt'],
      token_usage: { input_tokens: 10, output_tokens: 3, api_call_count: 1 },
      initial_attribution: { agent_lines: 2, human_added: 0 },
    })
    // What the turn spent after its last commit belongs to that.
    expect(await adoptedSession(repo, second)).toMatchObject({
      files_touched: ['b.txt'],
      token_usage: { input_tokens: 30, output_tokens: 9, api_call_count: 3 },
      initial_attribution: { agent_lines: 1, human_added: 0 },
    })
    expect(repo.state(agent.session)).toMatchObject({ token_usage: { input_tokens: 40, api_call_count: 4 } })

    // Each call counts once: the next checkpoint has only its own.
    await agent.turn('more', { 'c.txt': 'four\n' })
    await repo.commitAs('human', 'third', 'c.txt')
    expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
      files_touched: ['c.txt'],
      token_usage: { input_tokens: 20, api_call_count: 2 },
    })
  },
)
