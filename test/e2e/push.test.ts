// Pushes checkpoints along with the user's push, to remotes of every kind.
import { expect, test } from 'bun:test'
import { chmodSync, readFileSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

const branch = 'entire/checkpoints/v1'

async function withRemote(repo: RecordedRepo): Promise<string> {
  const remote = `${repo.base}/remote.git`
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', remote)
  await repo.git('remote', 'add', 'origin', remote)
  return remote
}

async function commitTurn(repo: RecordedRepo, file: string): Promise<string> {
  await fakeAgent(repo).turn(`write ${file}`, { [file]: `content of ${file}, long enough\n` })
  await repo.commitAs('human', file, file)
  return (await repo.checkpointsOf())[0] as string
}

test('two clones that recorded at the same time both keep everything, and history is never forced', async () => {
  await using here = await recordedRepo()
  const remote = await withRemote(here)
  await here.git('push', '--quiet', 'origin', 'main', branch)
  const mine = await commitTurn(here, 'mine.txt')

  // Another clone adds a checkpoint and pushes first.
  const other = `${here.base}/other`
  await here.git('clone', '--quiet', remote, other)
  const inOther = (...args: string[]) =>
    here.run(['git', '-C', other, '-c', 'user.name=o', '-c', 'user.email=o@o', ...args])
  await inOther('switch', '--quiet', branch)
  await Bun.write(`${other}/ab/cdef012345/metadata.json`, '{"checkpoint_id":"abcdef012345"}\n')
  await inOther('add', '.')
  await inOther('commit', '--quiet', '-m', 'Checkpoint: abcdef012345')
  await inOther('push', '--quiet', 'origin', branch)
  const theirTip = await here.git('ls-remote', 'origin', `refs/heads/${branch}`)

  const pushed = await here.run(['git', 'push', 'origin', 'main'])
  expect(pushed.code).toBe(0)
  expect(pushed.stderr).toContain(`[entire] Syncing ${branch} with remote...`)
  const files = await here.git('ls-tree', '-r', '--name-only', branch)
  expect(files).toContain('ab/cdef012345/metadata.json')
  expect(files).toContain(`${mine.slice(0, 2)}/${mine.slice(2)}/metadata.json`)
  expect(await here.git('ls-remote', 'origin', `refs/heads/${branch}`)).toContain(
    await here.git('rev-parse', branch),
  )
  expect((await here.run(['git', 'merge-base', '--is-ancestor', theirTip.slice(0, 40), branch])).code).toBe(0)
  expect(await here.git('for-each-ref', 'refs/entire-fetch-tmp')).toBe('')
})

const storages: Record<string, object> = {
  'the metadata branch': {},
  'the metadata branch at a checkpoint remote': {
    strategy_options: { checkpoint_remote: { url: 'file://BASE/store.git' } },
  },
  'refs of their own': { checkpoints: { primary: { type: 'git-refs' } } },
  'refs of their own at another remote': {
    checkpoints: { primary: { type: 'git-refs' } },
    strategy_options: { checkpoint_push_remote: 'store' },
  },
}

test.each(Object.entries(storages))('good pushes print nothing: %s', async (_name, settings) => {
  await using repo = await recordedRepo()
  const [remote, store] = [await withRemote(repo), `${repo.base}/store.git`]
  await repo.git('init', '--quiet', '--bare', store)
  await repo.git('remote', 'add', 'store', store)
  repo.write('.entire/settings.local.json', JSON.stringify(settings).replace('BASE', repo.base))
  const target = 'strategy_options' in settings ? store : remote
  const push = (what: string) =>
    repo.gitAs('human', ['push', '--quiet', 'origin', what], { env: { GIT_PROGRESS_DELAY: '600' } })
  const storedAt = () => repo.git('ls-remote', target, `refs/heads/${branch}`, 'refs/entire/*')
  const storedHere = () => repo.git('show-ref')
  for (const [index, what] of ['main', 'main', 'main:second', 'main'].entries()) {
    const id = await commitTurn(repo, `${index}.txt`)
    expect(await push(what)).toBe('')
    const here = await storedHere()
    const there = (await storedAt()).split('\n').map((line) => line.replace('\t', ' '))
    expect(here.split('\n')).toEqual(expect.arrayContaining(there))
    if (id.length === 26) expect(there.join('\n')).toContain(id)
  }
  expect(await push('main')).toBe('')
  expect(await push('main:third')).toBe('')
  expect(await repo.refs('refs/entire-fetch-tmp/')).toEqual([])
})

test('a push that takes its time says what it waits for', async () => {
  await using repo = await recordedRepo()
  await withRemote(repo)
  await repo.commitAs('human', 'setup')
  const push = ['push', '--quiet', 'origin', 'main']
  const said = await repo.gitAs('human', push, { env: { GIT_PROGRESS_DELAY: '0' } })
  expect(said).toBe(`[entire] Pushing ${branch} to origin...\n`)
})

test('a colleague who is faster twice loses nothing, and neither do we', async () => {
  await using repo = await recordedRepo()
  const remote = await withRemote(repo)
  await commitTurn(repo, 'a.txt')
  await repo.git('push', '--quiet', 'origin', 'main')
  const mine = await commitTurn(repo, 'b.txt')
  // The colleague's push arrives just before ours takes effect.
  await Bun.write(
    `${remote}/hooks/update`,
    `#!/bin/sh
[ "$1" = refs/heads/${branch} ] && [ ! -e second ] || exit 0
[ -e first ] && : > second || : > first
export GIT_AUTHOR_NAME=c GIT_AUTHOR_EMAIL=c@c GIT_COMMITTER_NAME=c GIT_COMMITTER_EMAIL=c@c
blob=$(ls | git hash-object -w --stdin)
tree=$( (git ls-tree "$1"; printf '100644 blob %s\tfile-%s\n' "$blob" "$blob") | git mktree)
git update-ref "$1" "$(git commit-tree -p "$1" -m faster "$tree")"
`,
  )
  chmodSync(`${remote}/hooks/update`, 0o755)
  const said = await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
  expect(said).not.toContain('Warning')
  const there = await repo.git('ls-tree', '-r', '--name-only', `refs/remotes/origin/${branch}`)
  expect(there).toContain(`${mine.slice(0, 2)}/${mine.slice(2)}/metadata.json`)
  expect(there.match(/^file-/gm)).toHaveLength(2)
  expect(await repo.git('ls-remote', remote, `refs/heads/${branch}`)).toStartWith(
    await repo.git('rev-parse', branch),
  )
  expect(await repo.refs('refs/entire-fetch-tmp/')).toEqual([])
})

test('two repositories whose checkpoints share no history are joined', async () => {
  await using here = await recordedRepo()
  const remote = await withRemote(here)
  const mine = await commitTurn(here, 'mine.txt')
  const elsewhere = `${here.base}/elsewhere`
  await here.git('init', '--quiet', `--initial-branch=${branch}`, elsewhere)
  await Bun.write(`${elsewhere}/ab/cdef012345/metadata.json`, '{}\n')
  await here.run(['git', '-C', elsewhere, 'add', '.'])
  await here.run([
    'git',
    '-C',
    elsewhere,
    '-c',
    'user.name=o',
    '-c',
    'user.email=o@o',
    'commit',
    '--quiet',
    '-m',
    'other history',
  ])
  await here.run(['git', '-C', elsewhere, 'push', '--quiet', remote, branch])
  expect((await here.run(['git', 'push', 'origin', 'main'])).code).toBe(0)
  const files = await here.git('ls-tree', '-r', '--name-only', `refs/remotes/origin/${branch}`)
  expect(files).toContain('ab/cdef012345/metadata.json')
  expect(files).toContain(`${mine.slice(0, 2)}/${mine.slice(2)}/metadata.json`)
})

test('a remote that refuses or cannot be reached never fails the push, and says so', async () => {
  await using repo = await recordedRepo()
  const remote = await withRemote(repo)
  await commitTurn(repo, 'a.txt')
  // The remote accepts branches of the user, but not the metadata branch.
  await Bun.write(
    `${remote}/hooks/update`,
    '#!/bin/sh\ncase "$1" in refs/heads/entire/*) echo refused >&2; exit 1;; esac\n',
  )
  await repo.run(['chmod', '+x', `${remote}/hooks/update`])
  const refused = await repo.run(['git', 'push', 'origin', 'main'])
  expect(refused.code).toBe(0)
  expect(refused.stderr).toContain('[entire] Warning:')
  expect(await repo.git('ls-remote', 'origin')).toContain('refs/heads/main')
  await repo.git('remote', 'set-url', 'origin', `${repo.base}/nowhere.git`)
  const hook = await repo.entire(['hooks', 'git', 'pre-push', 'origin'])
  expect(hook.code).toBe(0)
  expect(hook.err).toContain('[entire] Warning:')
})

test('with push_sessions off, no checkpoint leaves the machine', async () => {
  await using repo = await recordedRepo()
  await withRemote(repo)
  await repo.entire(['enable', '--agent', 'claude-code', '--skip-push-sessions'])
  await commitTurn(repo, 'a.txt')
  await repo.git('push', '--quiet', 'origin', 'main')
  expect(await repo.git('ls-remote', 'origin')).not.toContain('entire')
})

test('with the refs backend every checkpoint has a ref and an id of its own, and is pushed once', async () => {
  await using repo = await recordedRepo()
  await withRemote(repo)
  await Bun.write(
    `${repo.root}/.entire/settings.local.json`,
    '{"checkpoints":{"primary":{"type":"git-refs"}}}\n',
  )
  const id = await commitTurn(repo, 'a.txt')
  expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
  const ref = `refs/entire/checkpoints/${id.slice(-2)}/${id}`
  expect((await repo.git('ls-tree', '-r', '--name-only', ref)).split('\n')).toEqual(
    expect.arrayContaining(['metadata.json', '0/metadata.json', '0/full.jsonl']),
  )
  expect(JSON.parse(await repo.git('show', `${ref}:metadata.json`)).sessions[0].metadata).toBe(
    '/0/metadata.json',
  )
  const shown = await repo.entire(['explain', '-c', id, '--no-pager'])
  expect(shown.out).toContain(`Checkpoint: ${id}`)
  const env = { ...repo.env, GIT_PROGRESS_DELAY: '0' }
  const first = await repo.run(['git', 'push', 'origin', 'main'], { env })
  expect(first.stderr).toContain('Pushing 1 checkpoint to')
  expect(await repo.git('ls-remote', 'origin', ref)).toContain(ref)
  const second = await repo.run(['git', 'push', 'origin', 'main'], { env })
  expect(second.stderr).not.toContain('Pushing')
})

test('a process that ssh leaves behind with open pipes does not hold up the push', async () => {
  await using repo = await recordedRepo()
  await commitTurn(repo, 'a.txt')
  const ssh = `${repo.base}/bin/ssh-that-stays`
  await Bun.write(
    ssh,
    '#!/bin/sh\nsleep 1000 <&- >&- &\necho $! >> "$HOME/left"\necho "no route to host" >&2\nexit 255\n',
  )
  chmodSync(ssh, 0o755)
  await repo.git('remote', 'add', 'origin', 'ssh://nowhere.invalid/repo.git')
  const { code, err } = await repo.entire(['hooks', 'git', 'pre-push', 'origin'], {
    env: { GIT_SSH: ssh },
    stdin: `refs/heads/main ${await repo.head()} refs/heads/main ${'0'.repeat(40)}\n`,
  })
  for (const pid of readFileSync(`${repo.base}/home/left`, 'utf8').trim().split('\n'))
    process.kill(Number(pid))
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Warning: failed to push sessions') })
})
