// Tests that a long transcript, met for the first time, is recorded in pieces: the turn and the commit do not wait
// for it, and in the end nothing of it is missing.
import { expect, test } from 'bun:test'
import { appendFileSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { transcriptText } from '../bench/transcript-text.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

interface State {
  turn_checkpoint_ids?: string[]
  token_usage?: { output_tokens: number }
  transcript_cursor: { bytes: number; items: number; behind?: number; chunks: { oid: string }[] }
}

function stateOf(repo: RecordedRepo, session: string): State {
  return JSON.parse(
    readFileSync(join(repo.root, '.git', 'entire-sessions', `${session}.json`), 'utf8'),
  ) as State
}

test('a long transcript is caught up with in the background, and completes the checkpoint', async () => {
  await using repo = await recordedRepo()
  repo.env.ENTIRE_TEST_PIECE_BYTES = '300000'
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  // What was said before recording began is stored, but not counted.
  for (const text of transcriptText({ tag: 'before', seed: 7, bytes: 2_000_000, files: [] }))
    appendFileSync(agent.transcript, text)
  await agent.prompt('write a file')
  agent.write('a.ts', 'export const a = 1\n')
  await agent.stop()
  const size = readFileSync(agent.transcript).length
  const first = stateOf(repo, agent.session)
  expect(first.transcript_cursor.bytes).toBeLessThan(1_000_000)
  expect(await repo.git('show', `${repo.shadow(await repo.head())}:a.ts`)).toBe('export const a = 1')
  await repo.commitAs('human', 'a file', 'a.ts')
  const id = await repo.checkpointOf()
  await until(() => {
    const { transcript_cursor, turn_checkpoint_ids } = stateOf(repo, agent.session)
    return transcript_cursor.behind === undefined && turn_checkpoint_ids === undefined
  })
  const { transcript_cursor: cursor, token_usage } = stateOf(repo, agent.session)
  expect(cursor).toMatchObject({ bytes: size, items: agent.lines().length })
  expect(token_usage?.output_tokens).toBe(3)
  const dir = `entire/checkpoints/v1:${id.slice(0, 2)}/${id.slice(2)}/0`
  const names = (await repo.git('ls-tree', '--name-only', dir)).split('\n')
  expect(names.filter((name) => name.startsWith('full.jsonl'))).toHaveLength(cursor.chunks.length)
  expect(await repo.git('show', `${dir}/prompt.txt`)).toBe('write a file')
  const log = await repo.entire(['explain', id, '--raw-transcript'])
  expect(log.out.trimEnd()).toBe(readFileSync(agent.transcript, 'utf8').trimEnd())
})

test('a commit whose hook gave up while the transcript was read gets its checkpoint from the reader', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a file', { 'a.ts': 'export const a = 1\n' })
  const hook = join(repo.root, '.git', 'hooks', 'post-commit')
  renameSync(hook, `${hook}.away`)
  await repo.commitAs('human', 'a file', 'a.ts')
  renameSync(`${hook}.away`, hook)
  const id = await repo.checkpointOf()
  const dir = `entire/checkpoints/v1:${id.slice(0, 2)}/${id.slice(2)}/0`
  const found = () => repo.entire(['explain', id])
  expect(await found()).toMatchObject({ code: 1 })
  expect(await repo.entire(['hooks', 'catch-up', agent.session])).toMatchObject({
    code: 0,
    err: expect.any(String),
  })
  expect(await found()).toMatchObject({ code: 0 })
  expect(await repo.git('show', `${dir}/prompt.txt`)).toBe('write a file')
})

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo(); waited += 100) {
    if (waited > 60_000) throw new Error('The transcript was not caught up with in a minute.')
    await Bun.sleep(100)
  }
}
