import { expect, test } from 'bun:test'
import { putCommit } from '../../test/support/put-commit.ts'
import { type TempRepo, tempRepo } from '../../test/support/repo.ts'
import { openObjectReader } from '../git/cat-file.ts'
import type { CheckpointSummary } from '../model/checkpoint.ts'
import { ownRef, remoteMetadataRef } from './copies.ts'
import { metadataRef } from './layout.ts'
import { readCheckpoint } from './read.ts'
import { saveSummary } from './summary.ts'

const id = 'a3b2c4d5e6f7'
const dir = 'a3/b2c4d5e6f7'
const ulid = '01HZXK3V9Q8W7E6R5T4Y3J2H1G'
const summary: CheckpointSummary = {
  intent: 'Add a <parser>',
  outcome: 'Added',
  learnings: { repo: ['r'], code: [{ path: 'a.ts', line: 3, finding: 'f' }], workflow: [] },
  friction: [],
  openItems: ['tests'],
}
const author = { name: 'Test', email: 'test@example.com' }

// As another program writes it: escapes of its own, numbers too large for JavaScript, unknown fields, an
// order of its own.
const foreign = `{
  "session_id": "one",
  "checkpoint_id": "${id}",
  "files_touched": null,
  "nanoseconds": 1234567890123456789,
  "token_usage": {"input_tokens": 1.0},
  "prompt_attributions": [
    {
      "text": "\\u003cb\\u003e"
    }
  ],
  "initial_attribution": {"agent_lines": 3}
}
`

async function save(repo: TempRepo, checkpoint: string, session = 'one', text = summary): Promise<void> {
  await using objects = openObjectReader(repo.repo)
  await saveSummary(repo.repo, objects, {
    checkpoint,
    session,
    summary: text,
    author,
    seconds: 1_780_000_000,
  })
}

const paths = async (repo: TempRepo, rev: string) =>
  (await repo.git('ls-tree', '-r', '--name-only', rev)).split('\n')

test('a summary is added to the metadata of its session, and nothing else changes', async () => {
  await using repo = await tempRepo()
  const before = await putCommit(repo.repo, metadataRef, {
    files: {
      [`${dir}/metadata.json`]: { checkpoint_id: id, sessions: [{}, {}] },
      [`${dir}/0/metadata.json`]: { session_id: 'zero' },
      [`${dir}/1/metadata.json`]: foreign,
      [`${dir}/1/full.jsonl`]: '{}',
      'bb/b2c4d5e6f7/metadata.json': { checkpoint_id: 'bbb2c4d5e6f7', sessions: [] },
    },
  })
  await save(repo, id)
  expect(await repo.git('diff-tree', '-r', '--name-only', before, metadataRef)).toBe(`${dir}/1/metadata.json`)
  expect(await repo.git('log', '-1', '--format=%B|%an|%P', metadataRef)).toBe(
    `Update summary for checkpoint ${id} (session: one)\n|Test|${before}`,
  )
  const after = await repo.git('show', `${metadataRef}:${dir}/1/metadata.json`)
  const [head, tail] = foreign.trimEnd().split('  "initial_attribution"')
  expect(after).toStartWith(head as string)
  expect(after).toEndWith(`\n  "initial_attribution"${tail}`)
  expect(JSON.parse(after).summary).toEqual({
    intent: 'Add a <parser>',
    outcome: 'Added',
    learnings: { repo: ['r'], code: [{ path: 'a.ts', line: 3, finding: 'f' }], workflow: [] },
    friction: [],
    open_items: ['tests'],
  })
  await save(repo, id, 'one', { ...summary, intent: 'Other' })
  const again = await repo.git('show', `${metadataRef}:${dir}/1/metadata.json`)
  expect(again).toBe(after.replace('Add a <parser>', 'Other'))
})

test('a session at the top of a checkpoint, as in earlier versions, gets its summary there', async () => {
  await using repo = await tempRepo()
  await putCommit(repo.repo, metadataRef, {
    files: { [`${dir}/metadata.json`]: { checkpoint_id: id, session_id: 'one', created_at: 'x' } },
  })
  await save(repo, id)
  expect(await paths(repo, metadataRef)).toEqual([`${dir}/metadata.json`])
  expect(JSON.parse(await repo.git('show', `${metadataRef}:${dir}/metadata.json`)).summary.intent).toBe(
    'Add a <parser>',
  )
})

test('a checkpoint with a ref of its own gets its summary there', async () => {
  await using repo = await tempRepo()
  await putCommit(repo.repo, ownRef(ulid), {
    files: { 'metadata.json': { checkpoint_id: ulid, sessions: [{}] }, '0/metadata.json': foreign },
  })
  await save(repo, ulid)
  expect(JSON.parse(await repo.git('show', `${ownRef(ulid)}:0/metadata.json`)).summary.outcome).toBe('Added')
  expect(await repo.git('for-each-ref', metadataRef)).toBe('')
})

test.each([true, false])(
  'a checkpoint that only origin has is copied first (own branch: %p)',
  async (hasLocal) => {
    await using repo = await tempRepo()
    const files = {
      [`${dir}/metadata.json`]: { checkpoint_id: id, sessions: [{}] },
      [`${dir}/0/metadata.json`]: foreign,
      [`${dir}/0/full.jsonl`]: '{}',
    }
    const remote = await putCommit(repo.repo, remoteMetadataRef, { files })
    if (hasLocal)
      await putCommit(repo.repo, metadataRef, { files: { 'bb/b2c4d5e6f7/metadata.json': { sessions: [] } } })
    await save(repo, id)
    expect(await repo.git('rev-parse', remoteMetadataRef)).toBe(remote)
    expect(await paths(repo, metadataRef)).toEqual([
      ...Object.keys(files).sort(),
      ...(hasLocal ? ['bb/b2c4d5e6f7/metadata.json'] : []),
    ])
    await using objects = openObjectReader(repo.repo)
    expect((await readCheckpoint(objects, id))?.sessions[0]).toMatchObject({
      session: 'one',
      summary: { intent: 'Add a <parser>' },
    })
  },
)

test('simultaneous writers lose nothing', async () => {
  await using repo = await tempRepo()
  const ids = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(12))
  await putCommit(repo.repo, metadataRef, {
    files: Object.fromEntries(
      ids.flatMap((each) => [
        [`${each.slice(0, 2)}/${each.slice(2)}/metadata.json`, { checkpoint_id: each, sessions: [{}] }],
        [`${each.slice(0, 2)}/${each.slice(2)}/0/metadata.json`, { session_id: 'one' }],
      ]),
    ),
  })
  await Promise.all(ids.map((each) => save(repo, each)))
  await using objects = openObjectReader(repo.repo)
  for (const each of ids)
    expect((await readCheckpoint(objects, each))?.sessions[0]?.summary?.outcome).toBe('Added')
  expect(await repo.git('rev-list', '--count', metadataRef)).toBe('5')
})

test('a missing checkpoint, or one without the session, is not written', async () => {
  await using repo = await tempRepo()
  await expect(save(repo, id)).rejects.toThrow('cannot be changed')
  await putCommit(repo.repo, metadataRef, { files: { [`${dir}/0/metadata.json`]: '{ broken' } })
  await expect(save(repo, id)).rejects.toThrow('cannot be changed')
  expect(await repo.git('rev-list', '--count', metadataRef)).toBe('1')
})
