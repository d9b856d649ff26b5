// Tests `--checkpoint-remote`: checkpoints are pushed there, and nowhere if the setting is invalid.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

const branch = 'refs/heads/entire/checkpoints/v1'

/** A bare repository; `path` below the directory of the test. */
async function bare(repo: RecordedRepo, path: string): Promise<string> {
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', `${repo.base}/${path}`)
  return `${repo.base}/${path}`
}
const refsAt = async (repo: RecordedRepo, place: string) =>
  (await repo.git('ls-remote', place))
    .split('\n')
    .map((line) => line.split('\t')[1] ?? '')
    .filter((ref) => ref !== 'HEAD')

async function commitTurn(repo: RecordedRepo, file: string): Promise<void> {
  await fakeAgent(repo).turn(`write ${file}`, { [file]: `content of ${file}, long enough\n` })
  await repo.commitAs('human', file, file)
}

test('a named remote gets the checkpoints, and origin only the code', async () => {
  await using repo = await recordedRepo()
  await repo.git('remote', 'add', 'origin', await bare(repo, 'public.git'))
  const store = await bare(repo, 'private.git')
  await repo.git('remote', 'add', 'private', store)
  expect((await repo.entire(['enable', '--checkpoint-remote', 'private', '--project'])).code).toBe(0)
  expect(JSON.parse(repo.read('.entire/settings.json')).strategy_options).toEqual({
    checkpoint_push_remote: 'private',
  })
  await commitTurn(repo, 'a.txt')
  const env = { GIT_PROGRESS_DELAY: '0' }
  expect(await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'], { env })).toContain('to private...')
  expect(await refsAt(repo, 'origin')).toEqual(['refs/heads/main'])
  expect(await refsAt(repo, store)).toContain(branch)
  expect(await repo.gitAs('human', ['push', '--quiet', 'origin', 'main:other'])).toBe('')
})

test('a URL goes into the local file, is never shown, and is not asked again for what it already has', async () => {
  await using repo = await recordedRepo()
  await repo.git('remote', 'add', 'origin', await bare(repo, 'public.git'))
  const url = `file://${await bare(repo, 'private.git')}`
  expect((await repo.entire(['enable', '--checkpoint-remote', url])).code).toBe(0)
  expect(JSON.parse(repo.read('.entire/settings.local.json'))).toEqual({
    strategy_options: { checkpoint_remote: { url } },
  })
  expect(repo.read('.entire/settings.json')).not.toContain('checkpoint_remote')
  await commitTurn(repo, 'a.txt')
  const env = { GIT_PROGRESS_DELAY: '0' }
  const said = await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'], { env })
  expect(said).toContain('[entire] Pushing entire/checkpoints/v1 to checkpoint remote...')
  expect(said).not.toContain(url)
  expect(await refsAt(repo, 'origin')).toEqual(['refs/heads/main'])
  expect(await refsAt(repo, url)).toContain(branch)
  expect(await repo.gitAs('human', ['push', '--quiet', 'origin', 'main:other'])).toBe('')
  await commitTurn(repo, 'b.txt')
  await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
  expect(await repo.git('ls-remote', url, branch)).toStartWith(await repo.git('rev-parse', branch))
})

test('a repository of the same owner is reached by the protocol of the code', async () => {
  await using repo = await recordedRepo()
  await bare(repo, 'hub/acme/code.git')
  await bare(repo, 'hub/acme/private.git')
  await repo.git('config', `url.file://${repo.base}/hub/.insteadOf`, 'https://github.com/')
  await repo.git('config', '--add', `url.file://${repo.base}/hub/.insteadOf`, 'git@github.com:')
  await repo.entire(['enable', '--checkpoint-remote', 'github:acme/private', '--project'])
  expect(JSON.parse(repo.read('.entire/settings.json')).strategy_options).toEqual({
    checkpoint_remote: { provider: 'github', repo: 'acme/private' },
  })
  await repo.git('remote', 'add', 'origin', 'git@github.com:acme/code.git')
  await commitTurn(repo, 'a.txt')
  await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
  expect(await refsAt(repo, `${repo.base}/hub/acme/private.git`)).toContain(branch)
  expect(await refsAt(repo, `${repo.base}/hub/acme/code.git`)).toEqual(['refs/heads/main'])
})

test.each([
  [
    'a fork of another owner',
    { checkpoint_remote: { provider: 'github', repo: 'acme/private' } },
    'does not belong to',
  ],
  [
    'a URL from the project',
    { checkpoint_remote: { url: 'file:///anywhere' } },
    'is read only from .entire/settings.local.json',
  ],
  ['something else', { checkpoint_remote: 7 }, 'is not valid'],
])(
  '%s: nothing is pushed, neither there nor to origin, and the reason is given',
  async (_rule, options, why) => {
    await using repo = await recordedRepo()
    const origin = await bare(repo, 'fork/code.git')
    await repo.git('remote', 'add', 'origin', origin)
    repo.write('.entire/settings.json', JSON.stringify({ enabled: true, strategy_options: options }))
    await commitTurn(repo, 'a.txt')
    const said = await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
    expect(said).toStartWith('[entire] Checkpoints were not pushed: ')
    expect(said).toContain(why)
    expect(await refsAt(repo, 'origin')).toEqual(['refs/heads/main'])
  },
)

test('a local settings file that is committed does not count as the user’s own', async () => {
  await using repo = await recordedRepo()
  await repo.git('remote', 'add', 'origin', await bare(repo, 'public.git'))
  await repo.entire(['configure', 'checkpoint_remote', `file://${await bare(repo, 'thief.git')}`])
  await repo.git('add', '--force', '.entire/settings.local.json')
  await commitTurn(repo, 'a.txt')
  expect(await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])).toContain(
    'is committed, so other people may have set it',
  )
  expect(await refsAt(repo, `${repo.base}/thief.git`)).toEqual([''])
})

test('nothing is pushed when the settings cannot be read, because they may forbid it', async () => {
  await using repo = await recordedRepo()
  await repo.git('remote', 'add', 'origin', await bare(repo, 'public.git'))
  await commitTurn(repo, 'a.txt')
  repo.write('.entire/settings.json', '{ broken')
  await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
  expect(await refsAt(repo, 'origin')).toEqual(['refs/heads/main'])
})

test.each([
  ['an invalid value', ['--checkpoint-remote', 'a b'], 'is not a valid value for the checkpoint remote'],
  [
    'an option in disguise',
    ['--checkpoint-remote=--mirror'],
    'is not a valid value for the checkpoint remote',
  ],
  ['an unknown remote', ['--checkpoint-remote', 'nowhere'], 'git remote not found: nowhere'],
  [
    'a URL in the project file',
    ['--project', '--checkpoint-remote', 'https://example.com/x.git'],
    'is read only from',
  ],
])('%s is refused, and nothing is changed', async (_rule, flags, message) => {
  await using repo = await recordedRepo()
  const before = repo.read('.entire/settings.json')
  expect(await repo.entire(['enable', ...flags])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining(message),
  })
  expect(repo.read('.entire/settings.json')).toBe(before)
})
