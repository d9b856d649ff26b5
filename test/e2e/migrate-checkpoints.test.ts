// Moves checkpoints between the metadata branch and refs of their own: nothing changes but the place.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { ownRef } from '../../src/checkpoints/copies.ts'
import { killedCode } from '../faults/faulty-repo.ts'
import { doctor } from '../support/doctor.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rotatingNumbers, rotationTitle, timeLimit } from '../support/rotation.ts'
import { counted } from '../support/trials.ts'

setDefaultTimeout(timeLimit(120_000))

async function record(repo: RecordedRepo, file: string): Promise<string> {
  await fakeAgent(repo).turn(`write ${file}`, { [`${file}.txt`]: `this is ${file}\n` })
  await repo.commitAs('human', file, `${file}.txt`)
  return await repo.checkpointOf()
}

async function use(repo: RecordedRepo, storage: 'git-branch' | 'git-refs'): Promise<void> {
  expect((await repo.entire(['configure', 'checkpoints.primary.type', storage])).code).toBe(0)
}

async function migrate(repo: RecordedRepo, ...args: string[]): Promise<Record<string, unknown>> {
  const ran = await repo.entire(['doctor', 'migrate-checkpoints', '--json', ...args])
  expect(ran).toMatchObject({ code: 0, err: '' })
  return JSON.parse(ran.out)
}

const onBranch = (id: string) => `entire/checkpoints/v1:${id.slice(0, 2)}/${id.slice(2)}`
const treeOf = (repo: RecordedRepo, name: string) => repo.git('rev-parse', '--verify', name)
const ownRefsOf = (repo: RecordedRepo) => repo.git('for-each-ref', 'refs/entire/checkpoints')

async function explained(repo: RecordedRepo, ids: string[]): Promise<string[]> {
  const ran = await Promise.all(ids.map((id) => repo.entire(['explain', id, '--full', '--no-pager'])))
  expect(ran.map(({ code }) => code)).toEqual(ids.map(() => 0))
  return ran.map(({ out }) => out)
}

test('checkpoints move to refs of their own and back, the same in every byte', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', join(repo.base, 'origin.git'))
  await repo.git('remote', 'add', 'origin', join(repo.base, 'origin.git'))
  const ids = [await record(repo, 'one'), await record(repo, 'two')].toSorted()
  await repo.gitAs('human', ['push', '--quiet', '-u', 'origin', 'main'])
  const trees = await Promise.all(ids.map((id) => treeOf(repo, onBranch(id))))
  const shown = await explained(repo, ids)

  expect(await migrate(repo)).toEqual({ dry_run: false, to: 'git-branch', copied: [], removed: [], left: [] })
  const planned = { dry_run: true, to: 'git-refs', copied: ids, removed: [], left: [] }
  expect(await migrate(repo, '--to', 'refs', '--dry-run')).toEqual(planned)
  expect(await repo.entire(['doctor', 'migrate-checkpoints', '--to', 'refs'])).toMatchObject({
    code: 2,
    out: '2 checkpoints to copy: in refs of their own.\n',
    err: expect.stringContaining('--force'),
  })
  expect(await repo.entire(['doctor', 'migrate-checkpoints', '--to', 'refs', '--remove'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('entire configure checkpoints.primary.type git-refs'),
  })
  expect(await repo.entire(['doctor', 'migrate-checkpoints', '--to', 'sea'])).toMatchObject({ code: 2 })
  expect(await ownRefsOf(repo)).toBe('')

  expect(await migrate(repo, '--to', 'refs', '--force')).toEqual({ ...planned, dry_run: false })
  const own = await Promise.all(ids.map((id) => treeOf(repo, `${ownRef(id)}^{tree}`)))
  expect(own).toEqual(trees)
  const written = ['--format=%an %ae %ct %B', '-1']
  for (const id of ids)
    expect(await repo.git('log', ...written, ownRef(id))).toBe(
      await repo.git('log', ...written, `--grep=^Checkpoint: ${id}`, 'entire/checkpoints/v1'),
    )
  const refs = await ownRefsOf(repo)
  expect(await migrate(repo, '--to', 'refs', '--force')).toMatchObject({ copied: [], removed: [], left: [] })
  expect(await ownRefsOf(repo)).toBe(refs)

  // The old place is emptied when the settings say so, and colleagues can find the new one.
  await use(repo, 'git-refs')
  const waiting = ids.map((id) => ({ id, why: 'unpushed' }))
  expect(await migrate(repo, '--remove', '--force')).toMatchObject({ removed: [], left: waiting })
  repo.write('pushed.txt', 'pushed\n')
  await repo.commitAs('human', 'pushed')
  expect(await repo.gitAs('human', ['push', '--quiet'])).toBe('')
  expect(await migrate(repo, '--remove', '--force')).toMatchObject({ copied: [], removed: ids, left: [] })
  expect(await repo.paths('entire/checkpoints/v1')).toEqual([])
  expect(await explained(repo, ids)).toEqual(shown)
  await repo.gitAs('human', ['push', '--quiet'])
  expect(await repo.paths('refs/remotes/origin/entire/checkpoints/v1')).toEqual([])
  expect(await explained(repo, ids)).toEqual(shown)
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
  const points = JSON.parse((await repo.entire(['rewind', '--list', '--json'])).out)
  expect(JSON.stringify(points)).toContain(ids[0] as string)
  expect(await repo.entire(['resume', 'main', '--force'])).toMatchObject({ code: 0 })
  const clone = await repo.addClone('fresh', join(repo.base, 'origin.git'))
  expect(await clone.entire(['explain', ids[0] as string, '--no-pager'])).toMatchObject({ code: 0 })

  // A ULID stays where every program looks for it.
  const ulid = await record(repo, 'three')
  await use(repo, 'git-branch')
  expect(await migrate(repo, '--remove', '--force')).toEqual({
    dry_run: false,
    to: 'git-branch',
    copied: ids,
    removed: ids,
    left: [{ id: ulid, why: 'ulid' }],
  })
  expect(await Promise.all(ids.map((id) => treeOf(repo, onBranch(id))))).toEqual(trees)
  expect((await ownRefsOf(repo)).split('\n')).toHaveLength(1)
  expect(await explained(repo, ids)).toEqual(shown)
  expect((await explained(repo, [ulid]))[0]).toContain('write three')
  expect(await repo.entire(['doctor', 'migrate-checkpoints', '--remove', '--force'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Nothing to do: .*\n1 checkpoint with a ULID as id: left in refs/),
  })
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
})

test('a checkpoint that has changed since is copied again, and one that was purged is not', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const [one, two] = [await record(repo, 'one'), await record(repo, 'two')]
  await migrate(repo, '--to', 'refs', '--force')
  const first = await treeOf(repo, ownRef(two))
  repo.write('two.txt', 'this is two, amended\n')
  await repo.git('add', 'two.txt')
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '--no-edit'])
  await fakeAgent(repo).turn('again', { 'two.txt': 'this is two, by the agent\n' })
  await repo.git('add', 'two.txt')
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '--no-edit'])
  expect(await migrate(repo, '--to', 'refs', '--force')).toMatchObject({ copied: [two] })
  expect(await treeOf(repo, `${ownRef(two)}^{tree}`)).toBe(await treeOf(repo, onBranch(two)))
  // What the ref had stays in its history.
  expect(await treeOf(repo, `${ownRef(two)}~`)).toBe(first)

  const other = join(repo.base, 'other.git')
  await repo.git('clone', '--quiet', '--mirror', repo.root, other)
  expect(await repo.entire(['purge', one, '--force'])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Removed checkpoint ${one}`),
  })
  expect(await ownRefsOf(repo)).not.toContain(one)
  const branch = 'entire/checkpoints/v1'
  await repo.git('fetch', '--quiet', other, `+refs/heads/${branch}:refs/remotes/origin/${branch}`)
  expect(await migrate(repo, '--to', 'refs', '--force')).toMatchObject({ copied: [] })
})

test(`a killed migration loses nothing, and the next run completes it (${rotationTitle})`, () =>
  counted('kills', async (trials) => {
    await using repo = await recordedRepo({ isCommitted: true })
    const ids = [await record(repo, 'one'), await record(repo, 'two')].toSorted()
    const shown = await explained(repo, ids)
    for (const storage of ['git-refs', 'git-branch'] as const) {
      await use(repo, storage)
      for (const write of rotatingNumbers()) {
        trials.begin()
        const env = { ENTIRE_TEST_KILL_AT_WRITE: `${write}` }
        const ran = await repo.entire(['doctor', 'migrate-checkpoints', '--remove', '--force'], { env })
        expect(await explained(repo, ids)).toEqual(shown)
        if (ran.code !== killedCode) break
      }
      await migrate(repo, '--remove', '--force')
      const left = storage === 'git-refs' ? await repo.paths('entire/checkpoints/v1') : await ownRefsOf(repo)
      expect(left).toHaveLength(0)
      expect(await explained(repo, ids)).toEqual(shown)
      expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
    }
  }))
