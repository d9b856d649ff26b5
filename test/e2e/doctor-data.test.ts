// `entire doctor` on stored data: states, unfinished commits, orphaned branches, broken links, diverged
// copies.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectLinksHold, expectReadable, faultyRepo } from '../faults/faulty-repo.ts'
import { doctor } from '../support/doctor.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { putCommit } from '../support/put-commit.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { openTerminal } from '../support/terminal.ts'

setDefaultTimeout(60_000)

const metadata = 'entire/checkpoints/v1'

async function ready(): Promise<RecordedRepo> {
  const repo = await recordedRepo({ isCommitted: true })
  return repo
}

test('an unreadable state is removed, and can be restored', async () => {
  await using repo = await ready()
  const states = join(repo.repo.commonDir, 'entire-sessions')
  await fakeAgent(repo).prompt('make the directory')
  writeFileSync(join(states, 'broken.json'), '{"session_id": "brok')
  writeFileSync(join(states, 'older.json.corrupt'), 'garbage \0 \xff')
  const found = await doctor(repo)
  expect(found.findings.map(({ id, subject }) => [id, subject])).toEqual([
    ['state-unreadable', 'broken'],
    ['state-unreadable', 'older'],
  ])
  expect(existsSync(join(states, 'broken.json'))).toBe(true)
  expect(await doctor(repo, ['--force'])).toMatchObject({ code: 0, findings: [] })
  expect([existsSync(join(states, 'broken.json')), existsSync(join(states, 'older.json.corrupt'))]).toEqual([
    false,
    false,
  ])
  await repo.entire(['clean', '--undo'])
  await repo.entire(['clean', '--undo'])
  expect(readFileSync(join(states, 'broken.json'), 'utf8')).toBe('{"session_id": "brok')
})

test('a commit whose hook died is completed', async () => {
  await using repo = await faultyRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'one line of a\nanother line of a\n' })
  await repo.git('add', 'a.txt')
  await repo.gitKilling('post-commit', 0, ['commit', '--quiet', '-m', 'a'])
  const found = await doctor(repo)
  expect(found.code).toBe(1)
  expect(found.findings.map(({ id }) => id)).toEqual(['other-program', 'commit-unfinished'])
  const explained = await repo.entire(['explain', '--commit', 'HEAD'])
  expect(explained).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not recorded yet. The next turn records it; `entire doctor --force`'),
  })
  const fixed = await doctor(repo, ['--force'])
  expect(fixed).toMatchObject({ code: 0, fixed: [{ id: 'commit-unfinished' }] })
  await expectLinksHold(repo)
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ files_touched: ['a.txt'] })
})

test('what killed git processes left beside the packs is removed when it is a day old', async () => {
  await using repo = await ready()
  const dir = join(repo.root, '.git', 'objects', 'pack')
  const names = ['tmp_pack_a1B2c3', 'tmp_idx_a1B2c3', 'tmp_pack_fresh1']
  for (const name of names) repo.write(`.git/objects/pack/${name}`, 'half of a pack')
  const yesterday = new Date(Date.now() - 25 * 60 * 60_000)
  for (const name of names.slice(0, 2)) utimesSync(join(dir, name), yesterday, yesterday)
  const { findings } = await doctor(repo)
  expect(findings).toMatchObject([{ id: 'temporary-packs', fixable: true }])
  expect(findings[0]?.detail).not.toContain('fresh1')
  expect((await doctor(repo, ['--force'])).fixed).toMatchObject([{ done: 'Removed 2 temporary files' }])
  expect(names.filter((name) => existsSync(join(dir, name)))).toEqual(['tmp_pack_fresh1'])
})

test('a commit whose message is still being written is not reported as unfinished', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'one line of a\nanother line of a\n' })
  await repo.git('add', 'a.txt')
  const editor = `sh -c '${binary} doctor --json >${repo.base}/during.json; exit 0'`
  await repo.gitAs('human', ['commit', '--quiet', '--edit', '-m', 'a'], { env: { GIT_EDITOR: editor } })
  expect(JSON.parse(readFileSync(join(repo.base, 'during.json'), 'utf8'))).toMatchObject({
    ok: true,
    findings: [],
  })
})

test('only branches that belong to no session are deleted, and only on request', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  const own = await repo.shadows()
  await repo.git('branch', 'entire/0123456-e3b0c4', 'HEAD')
  await repo.git('branch', 'entire/notes', 'HEAD')
  expect(await doctor(repo)).toMatchObject({
    code: 1,
    findings: [{ id: 'orphaned-branches', detail: 'entire/0123456-e3b0c4' }],
  })
  await using terminal = openTerminal([binary, 'doctor'], {
    cwd: repo.root,
    env: { ...repo.env, TERM: 'xterm-256color' },
  })
  await terminal.sees('Delete them?')
  await terminal.press('y')
  expect(await terminal.sees('No problems found.')).toContain(
    '-> Deleted shadow branch entire/0123456-e3b0c4',
  )
  expect(await terminal.exited()).toBe(0)
  expect((await repo.shadows()).toSorted()).toEqual([...own, 'entire/notes'].toSorted())
})

test('a checkpoint that only the remote has is fetched; one that cannot be fetched is reported', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await repo.commitAs('human', 'a')
  const id = await repo.checkpointOf()
  await repo.git('init', '--quiet', '--bare', join(repo.base, 'remote.git'))
  await repo.git('remote', 'add', 'origin', join(repo.base, 'remote.git'))
  await repo.git('push', '--quiet', '--no-verify', 'origin', metadata)
  await repo.git('update-ref', '-d', `refs/heads/${metadata}`)
  await repo.git('update-ref', '-d', `refs/remotes/origin/${metadata}`)
  await repo.git('remote', 'set-url', 'origin', join(repo.base, 'nowhere.git'))
  const detail = expect.stringContaining(`→ ${id}`)
  expect(await doctor(repo, ['--force'])).toMatchObject({
    code: 1,
    findings: [{ id: 'dangling-link', fixable: false, detail, fix: expect.stringContaining('nowhere.git') }],
  })
  await repo.git('remote', 'set-url', 'origin', join(repo.base, 'remote.git'))
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
})

test('a checkpoint with an unreadable record is reported as such, not as missing', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await repo.commitAs('human', 'a')
  const id = await repo.checkpointOf()
  const dir = `${id.slice(0, 2)}/${id.slice(2)}`
  const garbage = { [`${dir}/metadata.json`]: '\0 garbage', [`${dir}/0/metadata.json`]: '[' }
  await putCommit(repo.repo, `refs/heads/${metadata}`, { files: garbage })
  const found = await doctor(repo)
  expect(found.findings).toMatchObject([
    { id: 'dangling-link', detail: expect.stringContaining('its record is unreadable') },
  ])
})

test('copies without a common history are merged without loss; diverged copies need no fix', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await repo.commitAs('human', 'a')
  const ours = await repo.checkpointOf()
  const theirs = '0123456789ab'
  const tracking = `refs/remotes/origin/${metadata}`
  const record = { checkpoint_id: theirs, sessions: [] }
  await putCommit(repo.repo, tracking, { files: { '01/23456789ab/metadata.json': record } })
  const found = await doctor(repo)
  expect(found).toMatchObject({
    code: 1,
    findings: [{ id: 'metadata-disconnected', subject: 'origin', fixable: true }],
  })
  expect(await doctor(repo, ['--force'])).toMatchObject({
    code: 0,
    fixed: [{ id: 'metadata-disconnected' }],
    findings: [],
  })
  expect(JSON.parse(await repo.stored(theirs, 'metadata.json'))).toMatchObject(record)
  expect(await repo.storedSession(ours)).toMatchObject({ session_id: agent.session })
  await repo.git('merge-base', '--is-ancestor', tracking, metadata)

  await putCommit(repo.repo, tracking, {
    files: { 'ff/fffffffff0/metadata.json': { checkpoint_id: 'fffffffffff0' } },
  })
  await putCommit(repo.repo, `refs/heads/${metadata}`, {
    files: { 'ee/eeeeeeeee0/metadata.json': { checkpoint_id: 'eeeeeeeeeee0' } },
  })
  const diverged = await doctor(repo, ['--force'])
  expect(diverged).toMatchObject({
    code: 0,
    ok: true,
    fixed: [],
    findings: [{ id: 'metadata-diverged', severity: 'info' }],
  })
  await expectReadable(repo)
})

test('an unreadable metadata branch is reported', async () => {
  await using repo = await ready()
  writeFileSync(join(repo.repo.commonDir, 'refs/heads', metadata), `${'1'.repeat(40)}\n`)
  expect((await doctor(repo)).findings).toMatchObject([{ id: 'metadata-unreadable', severity: 'error' }])
  writeFileSync(join(repo.repo.commonDir, 'refs/heads', metadata), 'not an id\n')
  expect((await doctor(repo)).findings).toMatchObject([{ id: 'metadata-unreadable', severity: 'error' }])
})

test('escape sequences in file names are not printed', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write', { 'evil\x1b[31m\x07name.txt': 'work of the agent\n' })
  await agent.end()
  const { out } = await repo.entire(['doctor'])
  expect(out).toContain('Waiting for your next commit: 1 ended session')
  expect(out).not.toContain('\x1b')
  expect(out).not.toContain('\x07')
})
