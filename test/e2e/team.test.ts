// Colleagues read what others recorded: fresh clones, both storages, every place where checkpoints are pushed to.
import { expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { openObjectReader } from '../../src/git/cat-file.ts'
import { readSettings } from '../../src/settings/read.ts'
import { fetchMissing } from '../../src/sync/fetch.ts'
import { doctor } from '../support/doctor.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rotatingRows } from '../support/rotation.ts'

const refs = { checkpoints: { primary: { type: 'git-refs' } } }
const storages: [name: string, settings: object][] = [
  ['the metadata branch', {}],
  ['refs of their own', refs],
  ['refs of their own at another remote', { ...refs, strategy_options: { checkpoint_push_remote: 'store' } }],
]

/** A repository with two recorded commits that were pushed. */
async function pushedRepo(settings: object): Promise<RecordedRepo> {
  const repo = await recordedRepo({ isCommitted: true })
  for (const name of ['origin', 'store']) {
    await repo.git('init', '--quiet', '--bare', '--initial-branch=main', join(repo.base, `${name}.git`))
    await repo.git('remote', 'add', name, join(repo.base, `${name}.git`))
  }
  repo.write('.entire/settings.local.json', JSON.stringify(settings))
  for (const file of ['one', 'two']) {
    await fakeAgent(repo).turn(`write ${file}`, { [`${file}.txt`]: `this is ${file}\n` })
    await repo.commitAs('human', file, `${file}.txt`)
  }
  await repo.gitAs('human', ['push', '--quiet', '-u', 'origin', 'main'])
  return repo
}

async function cloneOf(repo: RecordedRepo, name: string, settings: object): Promise<RecordedRepo> {
  const clone = await repo.addClone(name, join(repo.base, 'origin.git'))
  await clone.git('remote', 'add', 'store', join(repo.base, 'store.git'))
  clone.write('.entire/settings.local.json', JSON.stringify(settings))
  return clone
}

test.each(rotatingRows(storages))(
  'a fresh clone explains every commit without a manual fetch: %s',
  async (_name, settings) => {
    await using repo = await pushedRepo(settings)
    const id = await repo.checkpointOf()
    const source = 'strategy_options' in settings ? 'store' : 'origin'
    const word = 'checkpoints' in settings ? `Fetching session metadata from ${source}...\n` : ''
    const clone = await cloneOf(repo, 'fresh', settings)
    const shown = await clone.entire(['explain', '--commit', 'HEAD', '--no-pager'])
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('write two'), err: word })
    // It is here now.
    expect(await clone.entire(['explain', id, '--no-pager'])).toMatchObject({ code: 0, err: '' })
    const list = await clone.entire(['explain', '--no-pager'])
    expect(list).toMatchObject({ out: expect.stringContaining('write one'), err: word })

    const second = await cloneOf(repo, 'second', settings)
    expect((await doctor(second)).findings).toEqual([])
    expect(await second.entire(['explain', '--no-pager'])).toMatchObject({ err: '' })

    const third = await cloneOf(repo, 'third', settings)
    expect(await third.entire(['explain', id, '--no-pager'])).toMatchObject({ code: 0, err: word })
    const compared = await third.entire(['diff', 'HEAD~1', '--stat'])
    expect(compared).toMatchObject({ code: 0, out: expect.stringContaining('one.txt') })
    expect(await third.git('for-each-ref', 'refs/entire-fetch-tmp')).toBe('')
  },
)

test('a remote without the checkpoint, and one that does not answer, are told apart', async () => {
  await using repo = await pushedRepo(refs)
  const clone = await cloneOf(repo, 'fresh', refs)
  const id = await repo.checkpointOf()
  await repo.git('push', '--quiet', 'origin', `:refs/entire/checkpoints/${id.slice(-2)}/${id}`)
  const absent = await clone.entire(['explain', '--commit', 'HEAD', '--no-pager'])
  expect(absent).toMatchObject({ code: 1, err: expect.stringContaining('No remote of this clone has it.') })
  expect((await doctor(clone)).findings).toMatchObject([
    { id: 'dangling-link', fix: expect.stringContaining('No remote of this clone has them') },
  ])
  await clone.git('remote', 'set-url', 'origin', join(repo.base, 'nowhere.git'))
  const failed = await clone.entire(['explain', '--commit', 'HEAD', '--no-pager'])
  expect(failed).toMatchObject({
    code: 1,
    err: expect.stringMatching(/It may be at origin \(.*nowhere\.git.*\)/),
  })

  // A host that never answers.
  const ssh = join(repo.base, 'bin/ssh-that-hangs')
  await Bun.write(ssh, '#!/bin/sh\nexec sleep 600\n')
  chmodSync(ssh, 0o755)
  await clone.git('remote', 'set-url', 'origin', 'ssh://silent.invalid/repo.git')
  await using objects = openObjectReader(clone.repo)
  const said: string[] = []
  const outcome = await fetchMissing(
    {
      recorder: {
        repo: { ...clone.repo, env: { ...clone.repo.env, GIT_SSH: ssh } },
        settings: readSettings(clone.root),
        clock: () => new Date(),
      },
      objects,
      options: { mayAsk: false, timeoutMs: 300 },
      say: (line) => said.push(line),
    },
    [id],
  )
  expect(outcome).toEqual({ missing: [id], failures: ['origin (no answer within 0.3 s)'] })
  expect(said).toEqual(['Fetching session metadata from origin...'])
})

test.each(rotatingRows(storages, 1))(
  'links by note travel, and survive a rebase: %s',
  async (_name, settings) => {
    await using repo = await pushedRepo(settings)
    const agent = fakeAgent(repo)
    await agent.prompt('without hooks')
    agent.write('noted.txt', 'made by the agent\n')
    await repo.git('add', 'noted.txt')
    await repo.gitAs('agent', ['-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '-m', 'noted'])
    await agent.stop()
    expect(await repo.checkpointsOf()).toEqual([])
    await repo.git('switch', '--quiet', '-c', 'side', 'HEAD~1')
    repo.write('side.txt', 'x\n')
    await repo.commitAs('human', 'side', 'side.txt')
    await repo.git('switch', '--quiet', 'main')
    await repo.gitAs('human', ['rebase', '--quiet', 'side'])
    const shown = await repo.entire(['explain', '--commit', 'HEAD', '--no-pager'])
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('without hooks'), err: '' })
    await repo.gitAs('human', ['push', '--quiet', '--force', 'origin', 'main'])

    const clone = await cloneOf(repo, 'fresh', settings)
    const there = await clone.entire(['explain', '--commit', 'HEAD', '--no-pager'])
    expect(there).toMatchObject({ code: 0, out: expect.stringContaining('without hooks') })
    expect(there.err).toContain('Fetching links from ')
    const lost = await cloneOf(repo, 'lost', settings)
    for (const remote of ['origin', 'store'])
      await lost.git('remote', 'set-url', remote, join(repo.base, 'nowhere.git'))
    const told = await lost.entire(['explain', '--commit', 'HEAD', '--no-pager'])
    expect(told.err).toContain('A link to this commit may be at ')
  },
)

test('the reason of a server for refusing is shown, once, and it is not asked again', async () => {
  await using repo = await pushedRepo({})
  const hook = join(repo.base, 'origin.git/hooks/pre-receive')
  await Bun.write(
    hook,
    '#!/bin/sh\ngrep -q refs/heads/entire/ || exit 0\necho asked >> asked\necho "No branches of entire here: ask Ida." >&2\nexit 1\n',
  )
  chmodSync(hook, 0o755)
  await fakeAgent(repo).turn('write three', { 'three.txt': 'this is three\n' })
  await repo.commitAs('human', 'three', 'three.txt')
  const said = await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
  expect(said).toBe(
    '[entire] Warning: failed to push sessions: pre-receive hook declined; No branches of entire here: ask Ida.\n',
  )
  expect(await Bun.file(join(repo.base, 'origin.git/asked')).text()).toBe('asked\n')
})

test('refs that a killed fetch left behind are known to clean and doctor; those of a running one are left alone', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const head = await repo.head()
  const gone = Bun.spawn(['true'])
  await gone.exited
  const [left, running] = [`refs/entire-fetch-tmp/${gone.pid}`, `refs/entire-fetch-tmp/${process.pid}`]
  const leave = () => Promise.all([left, running].map((ref) => repo.git('update-ref', ref, head)))
  const now = async () =>
    (await repo.git('for-each-ref', '--format=%(refname)', 'refs/entire-fetch-tmp')).split('\n')
  await leave()
  expect((await doctor(repo)).findings).toMatchObject([{ id: 'leftover-refs', detail: left, fixable: true }])
  expect((await doctor(repo, ['--force'])).fixed).toMatchObject([{ done: 'Deleted 1 temporary ref' }])
  expect(await now()).toEqual([running])
  await leave()
  const cleaned = await repo.entire(['clean', '--all', '--force'])
  expect(cleaned).toMatchObject({ code: 0, out: expect.stringContaining(`Temporary refs (1):\n  ${left}`) })
  expect(await now()).toEqual([running])
})
