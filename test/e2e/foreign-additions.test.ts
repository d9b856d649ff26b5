// Adds sessions to checkpoints of the reference program: existing sessions and their fields stay, whatever
// their age.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readCheckpoint, readStoredPrompts, readTranscript } from '../../src/checkpoints/read.ts'
import { openObjectReader } from '../../src/git/cat-file.ts'
import { type Age, ages } from '../support/foreign-ages.ts'
import { type ForeignRepo, foreignRepo } from '../support/foreign-repo.ts'
import { unrecordedSession } from '../support/unrecorded-session.ts'

setDefaultTimeout(60_000)

const id = '22222222-aaaa-4000-8000-000000000002'

async function read(repo: ForeignRepo, { checkpoint }: Age) {
  await using objects = openObjectReader(repo.repo)
  const stored = await readCheckpoint(objects, checkpoint)
  const sessions = (stored?.sessions ?? []).map(async (session) => {
    const { dir, splitPath, ...record } = session
    const transcript = (await readTranscript(objects, session))?.toString('utf8')
    return { ...record, prompts: await readStoredPrompts(objects, session), transcript }
  })
  return { files: stored?.files, sessions: await Promise.all(sessions) }
}

async function attach(age: Age): Promise<ForeignRepo> {
  const repo = await foreignRepo()
  await repo.entire(['enable', '--agent', 'claude-code'])
  for (const [ref, files] of Object.entries(age.trees)) await repo.put(ref, files)
  await repo.link(age.checkpoint)
  unrecordedSession(repo, id).turn('add b', { 'b.ts': 'b\n' })
  return repo
}

test.each(Object.entries(ages))('%s', async (_name, age) => {
  await using repo = await attach(age)
  const before = await read(repo, age)
  expect(await repo.entire(['session', 'attach', id])).toMatchObject({ code: 0 })
  const after = await read(repo, age)
  expect(after.sessions.slice(0, -1)).toEqual(before.sessions)
  expect(after.sessions.at(-1)).toMatchObject({ session: id, prompts: ['add b'] })
  expect(after.files).toEqual(expect.arrayContaining(age.files))

  // The session continues and is attached again: its own part grows, and nothing else changes.
  unrecordedSession(repo, id).turn('and c', { 'c.ts': 'c\n' }, 30)
  expect(await repo.entire(['session', 'attach', id])).toMatchObject({ code: 0 })
  const again = await read(repo, age)
  expect(again.sessions.slice(0, -1)).toEqual(before.sessions)
  expect(again.sessions.at(-1)).toMatchObject({ session: id, prompts: ['add b', 'and c'] })
})

test('all sessions are named at the top, with paths that lead to them', async () => {
  for (const age of Object.values(ages).slice(0, 4)) {
    await using repo = await attach(age)
    await repo.entire(['session', 'attach', id])
    const dir = `${age.checkpoint.slice(0, 2)}/${age.checkpoint.slice(2)}`
    const head = JSON.parse(await repo.git('show', `entire/checkpoints/v1:${dir}/metadata.json`))
    expect(head).not.toHaveProperty('session_id')
    expect(head).not.toHaveProperty('session_ids')
    const named = await Promise.all(
      head.sessions.map(async (paths: Record<string, string>) =>
        JSON.parse(await repo.git('show', `entire/checkpoints/v1:${paths.metadata?.slice(1)}`)),
      ),
    )
    expect(named.map(({ session_id }) => session_id)).toEqual([
      ...age.sessions.map((session) => session.id),
      id,
    ])
    for (const { transcript } of head.sessions)
      await repo.git('cat-file', '-e', `entire/checkpoints/v1:${transcript.slice(1)}`)
  }
})

test('fields and files of another writer stay in the part that a session adds to', async () => {
  const age = ages['a ref of its own'] as Age
  await using repo = await attach(age)
  await repo.entire(['session', 'attach', id])
  const ref = Object.keys(age.trees)[0] as string
  const metadata = JSON.parse(await repo.git('show', `${ref}:1/metadata.json`))
  const foreign = {
    session_metrics: { turn_count: 2 },
    summary: { intent: 'x', outcome: 'y', by: 'them' },
    zeta: [1],
  }
  await repo.put(ref, {
    '1/metadata.json': { ...metadata, ...foreign },
    '1/notes.txt': 'theirs',
    '1/full.jsonl.007': 'a piece of a longer one',
    'metadata.json': {
      ...JSON.parse(await repo.git('show', `${ref}:metadata.json`)),
      review: 'done',
      combined_attribution: { agent_lines: 1 },
    },
  })
  unrecordedSession(repo, id).turn('and c', { 'c.ts': 'c\n' }, 30)
  expect(await repo.entire(['session', 'attach', id])).toMatchObject({ code: 0 })
  expect(JSON.parse(await repo.git('show', `${ref}:1/metadata.json`))).toMatchObject({
    ...foreign,
    files_touched: ['b.ts', 'c.ts'],
  })
  expect(await repo.git('show', `${ref}:1/notes.txt`)).toBe('theirs')
  expect(await repo.git('ls-tree', '--name-only', `${ref}:1`)).not.toContain('.007')
  const head = JSON.parse(await repo.git('show', `${ref}:metadata.json`))
  expect(head).toMatchObject({ review: 'done' })
  // It was about fewer lines.
  expect(head).not.toHaveProperty('combined_attribution')
})
