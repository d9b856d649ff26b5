// Beside hook managers: their hooks and Entire's run once each, in whatever order they were installed.
import { describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { loneTrailer, startRecorder } from '../../../test/support/recorder.ts'
import { type TempRepo, tempRepo } from '../../../test/support/repo.ts'
import { findHookManagers, hookManagerHint } from './files.ts'
import { hooksStatus, uninstallHooks } from './install.ts'

const modules = join(import.meta.dir, '../../../node_modules')
const quiet = /^(prepare-commit-msg|post-commit)/
const hooksIn = (dir: string) =>
  readdirSync(dir)
    .filter((name) => !name.endsWith('.sample'))
    .sort()
const contents = (dir: string) =>
  Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), 'utf8')]))

async function runTool(repo: TempRepo, ...argv: string[]): Promise<void> {
  const { code, stdout, stderr } = await repo.run([process.execPath, ...argv])
  if (code !== 0) throw new Error(`${argv.join(' ')} gave ${code}: ${stdout}${stderr}`)
}
const commit = (repo: TempRepo) => repo.git('commit', '--quiet', '--allow-empty', '-m', loneTrailer)

describe('Husky', () => {
  const husky = (repo: TempRepo) => runTool(repo, join(modules, 'husky/bin.js'))

  test('its hooks and Entire’s run, also after it has rewritten its directory, and removal restores that directory', async () => {
    await using repo = await tempRepo()
    await husky(repo)
    const recorder = await startRecorder(repo)
    expect(recorder.hooksDir).toBe(join(repo.root, '.husky/_'))
    const before = contents(recorder.hooksDir)
    repo.write('.husky/commit-msg', `${recorder.say('user $1')}\nif grep -q bad "$1"; then exit 9; fi\n`)
    recorder.install()
    const heard = () => recorder.take().filter((line) => !quiet.test(line))
    await commit(repo)
    expect(heard()).toEqual(['commit-msg .git/COMMIT_EDITMSG', 'user .git/COMMIT_EDITMSG'])
    expect(
      (await repo.run(['git', 'commit', '--allow-empty', '-m', `${loneTrailer}\nbad`])).stderr,
    ).toContain('husky - commit-msg script failed (code 9)')

    await husky(repo)
    expect(hooksStatus(recorder.hooksDir, { command: recorder.command })).toBe('missing')
    expect(recorder.install()).toMatchObject({ backups: [], warnings: [] })
    recorder.take()
    await commit(repo)
    expect(heard()).toEqual(['commit-msg .git/COMMIT_EDITMSG', 'user .git/COMMIT_EDITMSG'])

    await husky(repo)
    expect(uninstallHooks(recorder.hooksDir).warnings).toEqual([])
    expect(contents(recorder.hooksDir)).toEqual(before)
    recorder.install()
    uninstallHooks(recorder.hooksDir)
    expect(contents(recorder.hooksDir)).toEqual(before)
  })

  test('the lines suggested for its files call Entire only when the hook has not', async () => {
    await using repo = await tempRepo()
    await husky(repo)
    const recorder = await startRecorder(repo)
    const line = /\.husky\/commit-msg: {2}(.*)/.exec(hookManagerHint('Husky', recorder.command))?.[1]
    repo.write('.husky/commit-msg', `${line}\n`)
    await commit(repo)
    expect(recorder.take()).toEqual(['commit-msg .git/COMMIT_EDITMSG'])
    recorder.install()
    await commit(repo)
    expect(recorder.take().filter((text) => !quiet.test(text))).toEqual(['commit-msg .git/COMMIT_EDITMSG'])
  })
})

describe('Lefthook', () => {
  // What its install and uninstall do (version 2.2): a hook without the word lefthook is moved to `.old`,
  // unless there is one already; one with its name is written over. The package itself would install its
  // hooks into every checkout of this repository.
  const script =
    '#!/bin/sh\nif [ "$LEFTHOOK" = "0" ]; then exit 0; fi\ncall_lefthook() { echo lefthook >>"$RECORDER_LOG"; }\ncall_lefthook run "commit-msg" "$@"\n'
  const isTheirs = (path: string) => readFileSync(path, 'utf8').includes('LEFTHOOK')

  function install(dir: string): void {
    const hook = join(dir, 'commit-msg')
    if (existsSync(hook) && !isTheirs(hook)) {
      if (existsSync(`${hook}.old`)) throw new Error('.old already exists')
      renameSync(hook, `${hook}.old`)
    }
    writeFileSync(hook, script, { mode: 0o755 })
  }

  function uninstall(dir: string): void {
    const hook = join(dir, 'commit-msg')
    if (isTheirs(hook)) rmSync(hook)
    if (existsSync(`${hook}.old`)) renameSync(`${hook}.old`, hook)
  }

  for (const first of ['no hook', 'a hook'])
    test(`installed over Entire's, with ${first} before both, any number of times`, async () => {
      await using repo = await tempRepo()
      const recorder = await startRecorder(repo)
      if (first === 'a hook') await repo.hook('commit-msg', 'exit 0')
      recorder.install()
      for (let round = 1; round <= 3; round += 1) {
        install(recorder.hooksDir)
        expect(hooksStatus(recorder.hooksDir, { command: recorder.command })).toBe('missing')
        expect(recorder.install().warnings).toEqual([])
        recorder.take()
        await commit(repo)
        expect(recorder.take().filter((line) => !quiet.test(line))).toEqual([
          'commit-msg .git/COMMIT_EDITMSG',
          'lefthook',
        ])
      }
      uninstallHooks(recorder.hooksDir)
      const left = hooksIn(recorder.hooksDir)
      // As if it had been installed directly over the user's hook.
      expect(left).toEqual(first === 'a hook' ? ['commit-msg', 'commit-msg.old'] : ['commit-msg'])
      uninstall(recorder.hooksDir)
      const hook = join(recorder.hooksDir, 'commit-msg')
      if (first === 'a hook') expect(readFileSync(hook, 'utf8')).toBe('#!/bin/sh\nexit 0\n')
    })
})

describe('pre-commit', () => {
  // What `pre-commit install` and its script do, as its documentation and messages say.
  const script = (name: string) => `#!/bin/sh
# File generated by pre-commit: https://pre-commit.com
if [ -n "$PRE_COMMIT_RUNNING_LEGACY" ]; then echo "bug: pre-commit's script is installed in migration mode"; exit 1; fi
if [ -x "$(dirname "$0")/${name}.legacy" ]; then PRE_COMMIT_RUNNING_LEGACY=1 "$(dirname "$0")/${name}.legacy" "$@" </dev/null || exit 1; fi
echo "pre-commit ${name}" >>"$RECORDER_LOG"
`
  function preCommitInstall(dir: string, names = ['commit-msg', 'post-rewrite']): void {
    for (const name of names) {
      const path = join(dir, name)
      const found =
        readdirSync(dir).includes(name) && !readFileSync(path, 'utf8').includes('generated by pre-commit')
      if (found) renameSync(path, `${path}.legacy`)
      writeFileSync(path, script(name), { mode: 0o755 })
    }
  }
  const both = ['commit-msg .git/COMMIT_EDITMSG', 'pre-commit commit-msg']

  const orders: Record<string, ((tools: { ours: () => void; theirs: () => void }) => void)[]> = {
    'ours, theirs': [({ ours }) => ours(), ({ theirs }) => theirs()],
    'ours, theirs, ours': [({ ours }) => ours(), ({ theirs }) => theirs(), ({ ours }) => ours()],
    'theirs, ours': [({ theirs }) => theirs(), ({ ours }) => ours()],
    'theirs, ours, theirs': [({ theirs }) => theirs(), ({ ours }) => ours(), ({ theirs }) => theirs()],
    'theirs, ours, theirs, ours': [
      ({ theirs }) => theirs(),
      ({ ours }) => ours(),
      ({ theirs }) => theirs(),
      ({ ours }) => ours(),
    ],
  }
  for (const [order, steps] of Object.entries(orders))
    for (const user of [false, true])
      test(`installed in the order ${user ? "the user's, " : ''}${order}`, async () => {
        await using repo = await tempRepo()
        const recorder = await startRecorder(repo)
        if (user) await repo.hook('commit-msg', recorder.say('user'))
        for (const step of steps)
          step({ ours: () => recorder.install(), theirs: () => preCommitInstall(recorder.hooksDir) })
        await commit(repo)
        const expected = user ? [both[0], 'user', both[1]] : both
        expect(recorder.take().filter((line) => !quiet.test(line))).toEqual(expected as string[])
        expect(uninstallHooks(recorder.hooksDir).warnings).toEqual([])
        await commit(repo)
        expect(recorder.take()).toEqual(user ? ['user', 'pre-commit commit-msg'] : ['pre-commit commit-msg'])
        const left = hooksIn(recorder.hooksDir)
        expect(left).toEqual(
          user ? ['commit-msg', 'commit-msg.legacy', 'post-rewrite'] : ['commit-msg', 'post-rewrite'],
        )
      })

  test('Entire still hears of rewritten commits', async () => {
    await using repo = await tempRepo()
    const recorder = await startRecorder(repo)
    preCommitInstall(recorder.hooksDir)
    recorder.install()
    preCommitInstall(recorder.hooksDir)
    recorder.install()
    const before = await repo.head()
    await repo.git('commit', '--amend', '--quiet', '--allow-empty', '-m', loneTrailer)
    expect(recorder.take().slice(-3)).toEqual([
      'post-rewrite amend',
      `< ${before} ${await repo.head()}`,
      'pre-commit post-rewrite',
    ])
  })

  test('its script chained behind Entire’s, as other versions left it, does not stop a commit after another install', async () => {
    await using repo = await tempRepo()
    const recorder = await startRecorder(repo)
    recorder.install()
    writeFileSync(join(recorder.hooksDir, 'commit-msg.pre-entire'), script('commit-msg'), { mode: 0o755 })
    recorder.install()
    preCommitInstall(recorder.hooksDir)
    await commit(repo)
    expect(recorder.take().filter((line) => !quiet.test(line))).toEqual(both)
    uninstallHooks(recorder.hooksDir)
    expect(hooksIn(recorder.hooksDir)).toEqual(['commit-msg', 'post-rewrite'])
  })
})

test('a manager that runs the copy of Entire’s hook it moved aside causes no loop', async () => {
  await using repo = await tempRepo()
  const recorder = await startRecorder(repo)
  await repo.hook('commit-msg', `${recorder.say('manager')}\nexec "$(dirname "$0")/commit-msg.old" "$@"`)
  recorder.install()
  copyFileSync(join(recorder.hooksDir, 'commit-msg'), join(recorder.hooksDir, 'commit-msg.old'))
  await commit(repo)
  expect(recorder.take().filter((line) => !quiet.test(line))).toEqual([
    'commit-msg .git/COMMIT_EDITMSG',
    'manager',
  ])
})

describe('finding hook managers', () => {
  const signs: Record<string, string> = {
    '.husky/': 'Husky',
    '.pre-commit-config.yaml': 'pre-commit',
    '.overcommit.yml': 'Overcommit',
    'lefthook.yml': 'Lefthook',
    '.lefthook-local.toml': 'Lefthook',
    'hk.pkl': 'hk',
    '.config/hk.pkl': 'hk',
  }
  test('each is recognised by its files and has a hint for its user', async () => {
    await using repo = await tempRepo()
    expect(findHookManagers(repo.root)).toEqual([])
    for (const [sign, title] of Object.entries(signs)) {
      if (sign.endsWith('/')) mkdirSync(join(repo.root, sign))
      else repo.write(sign, '')
      expect(findHookManagers(repo.root)).toEqual([title])
      expect(hookManagerHint(title, 'entire')).toContain(title)
      rmSync(join(repo.root, sign), { recursive: true })
    }
  })
})
