// Linking the commit of an attached session: by amending it, if the user agrees and it is safe, otherwise by
// a note.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { openTerminal } from '../support/terminal.ts'
import { unrecordedSession } from '../support/unrecorded-session.ts'

const id = '22222222-aaaa-4000-8000-000000000002'

async function attachable(message = 'a'): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  await repo.commit('set up')
  unrecordedSession(repo, id).turn('write a', { 'a.ts': 'a\n' })
  await repo.git('add', 'a.ts')
  await repo.git('-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '--cleanup=verbatim', '-m', message)
  return repo
}

const terminalFor = (repo: RecordedRepo, env = {}) =>
  openTerminal(['entire', 'session', 'attach', id], {
    cwd: repo.root,
    env: { ...repo.env, TERM: 'xterm', ...env },
  })

test('if the user agrees, the commit is amended: only its message changes', async () => {
  await using repo = await attachable('fix: a\n\n# not a comment\nbody\n')
  const before = await repo.git('log', '-1', '--format=%T %P %an %ae %at')
  const index = await repo.git('ls-files', '--stage')
  await repo.hook('post-commit', 'echo ran >>"$HOME/hooks"')
  await repo.hook('pre-commit', 'exit 1')
  await using terminal = terminalFor(repo)
  await terminal.sees('Amend the last commit to name the checkpoint?')
  await terminal.press('y')
  expect(await terminal.exited()).toBe(0)
  const checkpoint = await repo.checkpointOf()
  expect(terminal.text()).toContain(`Created checkpoint ${checkpoint}`)
  expect(terminal.text()).toContain(`which is now ${(await repo.head()).slice(0, 7)}`)
  expect(await repo.message()).toBe(`fix: a\n\n# not a comment\nbody\n\nEntire-Checkpoint: ${checkpoint}\n`)
  expect(await repo.git('log', '-1', '--format=%T %P %an %ae %at')).toBe(before)
  expect(await repo.git('ls-files', '--stage')).toBe(index)
  expect(await repo.storedSession(checkpoint)).toMatchObject({ session_id: id })
  expect(await repo.refs('refs/notes/')).toEqual([])
})

test('if the user declines, the commit is linked by a note', async () => {
  await using repo = await attachable()
  const head = await repo.head()
  await using terminal = terminalFor(repo, { ACCESSIBLE: '1' })
  await terminal.sees('[y/N]: ')
  await terminal.press('n\r')
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain('by a note')
  expect(terminal.text()).toContain('Copy to your commit message to attach:')
  expect(await repo.head()).toBe(head)
  expect(await repo.git('notes', '--ref=entire-checkpoints', 'show', 'HEAD')).toMatch(
    /^Entire-Checkpoint: [0-9a-f]{12}$/,
  )
})

test('--force amends without asking; sessions based on the commit follow it', async () => {
  await using repo = await attachable()
  const other = fakeAgent(repo)
  await other.turn('change a', { 'a.ts': 'a\nb\n' })
  const old = await repo.head()
  const { code, out } = await repo.entire(['session', 'attach', id, '--force'])
  expect(code).toBe(0)
  const head = await repo.head()
  expect(out).toContain(`  Amended ${old.slice(0, 7)}, which is now ${head.slice(0, 7)}\n`)
  expect(repo.state(other.session)).toMatchObject({ base_commit: head, files_touched: ['a.ts'] })
  expect(await repo.shadows()).toEqual([repo.shadow(head)])
  const checkpoint = await repo.checkpointOf()
  // The other session is not part of it: its work is not committed yet.
  expect(JSON.parse(await repo.stored(checkpoint, 'metadata.json')).sessions).toHaveLength(1)
  await repo.commitAs('human', 'b', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ session_id: other.session })
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '--no-edit'])
  expect(await repo.checkpointsOf('HEAD^')).toEqual([checkpoint])
})

test('a commit linked by a note can be amended later', async () => {
  await using repo = await attachable()
  await repo.entire(['session', 'attach', id])
  expect(await repo.checkpointsOf()).toEqual([])
  expect((await repo.entire(['session', 'attach', id, '--force'])).out).toContain('Amended ')
  expect(await repo.checkpointsOf()).toHaveLength(1)
})

test.each<[string, (repo: RecordedRepo) => Promise<unknown>]>([
  [
    'it has been pushed',
    async (repo) => {
      await repo.run(['git', 'init', '--quiet', '--bare', `${repo.base}/remote.git`])
      await repo.git('remote', 'add', 'origin', `${repo.base}/remote.git`)
      await repo.git('push', '--quiet', '--no-verify', 'origin', 'main')
    },
  ],
  [
    'changes are staged for the next commit',
    async (repo) => {
      repo.write('staged.ts', 'x\n')
      await repo.git('add', 'staged.ts')
    },
  ],
  [
    'a merge, rebase or cherry-pick is under way',
    async (repo) => repo.write('.git/MERGE_HEAD', `${await repo.head()}\n`),
  ],
])('--force does not amend when %s', async (reason, prepare) => {
  await using repo = await attachable()
  await prepare(repo)
  const head = await repo.head()
  const index = await repo.git('ls-files', '--stage')
  const { code, out, err } = await repo.entire(['session', 'attach', id, '--force'])
  expect(code).toBe(0)
  expect(err).toContain(`The commit is not amended, because ${reason}.\n`)
  expect(out).toContain(`  Linked to ${head.slice(0, 7)} by a note\n`)
  expect(await repo.head()).toBe(head)
  expect(await repo.git('ls-files', '--stage')).toBe(index)
})

test('when git cannot amend, the commit is linked by a note', async () => {
  await using repo = await attachable()
  repo.write('.git/index.lock', '')
  const { code, out, err } = await repo.entire(['session', 'attach', id, '--force'])
  expect({ code, err }).toMatchObject({
    code: 0,
    err: expect.stringContaining('Git could not amend the commit.'),
  })
  expect(out).toContain('by a note')
  expect(await repo.git('notes', '--ref=entire-checkpoints', 'show', 'HEAD')).toContain('Entire-Checkpoint: ')
})

test('a checkpoint that is named here but stored elsewhere is never overwritten', async () => {
  await using repo = await recordedRepo()
  unrecordedSession(repo, id).turn('write a', { 'a.ts': 'a\n' })
  await repo.git('add', 'a.ts')
  await repo.git(
    '-c',
    'core.hooksPath=/dev/null',
    'commit',
    '--quiet',
    '-m',
    'a\n\nEntire-Checkpoint: a3b2c4d5e6f7',
  )
  const tip = await repo.git('rev-parse', 'entire/checkpoints/v1')
  const { code, err } = await repo.entire(['session', 'attach', id])
  expect(code).toBe(1)
  expect(err).toContain('is linked to checkpoint a3b2c4d5e6f7, which is not in this clone.\nhint: ')
  expect(await repo.git('rev-parse', 'entire/checkpoints/v1')).toBe(tip)
  expect(repo.hasState(id)).toBe(false)
})
