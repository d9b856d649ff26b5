// Deletes Entire's branches and lets git collect their objects: the conversation is stored again from the
// agent's own file.
import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

async function forgetSteps(repo: RecordedRepo): Promise<void> {
  for (const branch of await repo.shadows()) await repo.git('branch', '--quiet', '-D', branch)
  await repo.git('reflog', 'expire', '--expire=now', '--all')
  await repo.git('gc', '--quiet', '--prune=now')
}

test('a commit after its steps were collected stores the whole conversation', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('first question', { 'a.txt': 'a\n' })
  await agent.turn('second question', { 'a.txt': 'b\n' })
  await forgetSteps(repo)
  await repo.commitAs('human', 'work', 'a.txt')
  const id = await repo.checkpointOf()
  const transcript = await repo.transcript(id)
  expect(transcript).toContain('first question')
  expect(transcript).toContain('second question')
  const calls = (await repo.storedSession(id)).token_usage as { api_call_count: number } | undefined
  expect(calls?.api_call_count).toBe(
    (repo.state(agent.session).token_usage as { api_call_count: number }).api_call_count,
  )
})

test('a commit after steps and transcript are gone still becomes a checkpoint', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('question', { 'a.txt': 'a\n' })
  await forgetSteps(repo)
  rmSync(agent.transcript)
  await repo.commitAs('human', 'work', 'a.txt')
  expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toEqual(['a.txt'])
})
