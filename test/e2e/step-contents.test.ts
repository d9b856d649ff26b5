// Tests that a step holds the whole work tree, whatever happened to it since the step before.
import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, renameSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { expectStepIsWorktree } from '../support/step-tree.ts'

const line = (name: string) => `export const ${name} = '${name}'\n`

/** A first step, then what happens, then a second step, which must hold the work tree. */
async function between(
  change: (repo: RecordedRepo, at: (path: string) => string) => void | Promise<void>,
  prepare: (repo: RecordedRepo, at: (path: string) => string) => void | Promise<void> = () => {},
): Promise<void> {
  await using repo = await recordedRepo()
  const at = (path: string) => join(repo.root, path)
  repo.write('lib/one.ts', line('one'))
  repo.write('lib/two.ts', line('two'))
  repo.write('.gitignore', 'build/\n')
  await repo.commit('set up')
  await prepare(repo, at)
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  await expectStepIsWorktree(repo)
  // Older than the slack of any clock.
  await Bun.sleep(60)
  await agent.prompt('write b')
  await change(repo, at)
  agent.write('b.ts', line('b'))
  await agent.stop()
  await expectStepIsWorktree(repo)
  await agent.turn('write c', { 'c.ts': line('c') })
  await expectStepIsWorktree(repo)
}

test('a directory that was renamed is in the step, though its files are older than the last one', async () => {
  await between((_, at) => renameSync(at('lib'), at('src')))
})

test('a directory that was moved in from outside is in the step', async () => {
  await between(
    (repo, at) => renameSync(join(repo.base, 'elsewhere'), at('moved')),
    (repo) => {
      mkdirSync(join(repo.base, 'elsewhere'))
      repo.write('../elsewhere/x.ts', line('x'))
    },
  )
})

test('files that are no longer ignored are in the step, and those that are ignored now are not', async () => {
  await between(
    (repo) => repo.write('.gitignore', 'scratch/\n'),
    (repo) => {
      repo.write('build/out.js', line('out'))
      repo.write('scratch/x.md', 'x\n')
    },
  )
})

test('what is below a directory that replaced a file is in every step after that', async () => {
  await between((repo) => {
    repo.remove('README.md')
    repo.write('README.md/part/one.md', 'one\n')
    repo.write('README.md/two.md', 'two\n')
  })
})

test('what is below a directory that replaced a file before the first step is in every step', async () => {
  await between(
    () => {},
    (repo) => {
      repo.remove('README.md')
      repo.write('README.md/one.md', 'one\n')
    },
  )
})

test('a file, or a link to a directory with the same files, that replaced a directory is in the step', async () => {
  await between((_, at) => {
    renameSync(at('lib'), at('moved'))
    symlinkSync('moved', at('lib'))
  })
  await between((repo) => {
    repo.remove('lib')
    repo.write('lib', 'a file now\n')
  })
})

test('an edit that keeps size and time is in the step', async () => {
  await between((repo, at) => {
    for (const path of ['README.md', 'a.ts']) {
      const { atime, mtime } = statSync(at(path))
      repo.write(path, repo.read(path).toUpperCase())
      utimesSync(at(path), atime, mtime)
    }
  })
})

test('an edit at the very moment of a step is in the next one', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  for (let round = 0; round < 5; round += 1) {
    await agent.prompt(`round ${round}`)
    repo.write('racy.md', `${round}a\n`)
    agent.write('a.ts', line(`a${round}`))
    await agent.stop()
    repo.write('racy.md', `${round}b\n`)
    await agent.turn(`more ${round}`, { 'b.ts': line(`b${round}`) })
    await expectStepIsWorktree(repo)
  }
})

test('executable bits and links are in the step', async () => {
  await between((repo, at) => {
    chmodSync(at('lib/one.ts'), 0o755)
    chmodSync(at('a.ts'), 0o755)
    repo.remove('lib/two.ts')
    symlinkSync('one.ts', at('lib/two.ts'))
  })
})

test('an untracked directory that becomes a repository of its own leaves the steps', async () => {
  await between(
    async (repo, at) => {
      await repo.git('init', '--quiet', at('notes'))
      await repo.git(
        ...['-C', at('notes'), '-c', 'user.name=x', '-c', 'user.email=x@example.com'],
        ...['commit', '--quiet', '--allow-empty', '-m', 'own'],
      )
    },
    (repo) => repo.write('notes/x.md', 'x\n'),
  )
})

test('files in a stash never replace those of the work tree, and keep mode and kind', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const at = (path: string) => join(repo.root, path)
  const agent = fakeAgent(repo)
  await agent.prompt('write a lot')
  for (const path of ['run.sh', 'dir/inner.ts', 'file.ts']) agent.write(path, line('x'))
  chmodSync(at('run.sh'), 0o755)
  symlinkSync('run.sh', at('link'))
  await agent.stop()
  await repo.git('stash', '--quiet', '--include-untracked')
  // What is a directory in the stash is a file now, and the other way round.
  repo.write('dir', 'a file now\n')
  repo.write('file.ts/inner.ts', line('inner'))
  const others = ['run.sh', 'link', 'dir/inner.ts', 'file.ts']
  await agent.turn('write b', { 'b.ts': line('b') })
  await expectStepIsWorktree(repo, { others })
  const shadow = repo.shadow(await repo.head())
  expect(await repo.git('ls-tree', shadow, 'run.sh', 'link')).toMatch(/^120000 .*\n100755 /)
  // Once the stash is gone, so are its files.
  await repo.git('stash', 'drop', '--quiet')
  await agent.turn('write c', { 'c.ts': line('c') })
  await expectStepIsWorktree(repo)
})

test('a path that is a directory in the stash breaks no hook', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write x', { x: 'a file\n', 'y.ts': line('y') })
  repo.remove('x')
  repo.write('x/inner.ts', line('inner'))
  await repo.git('stash', '--quiet', '--include-untracked')
  await agent.turn('write b', { 'b.ts': line('b') })
  await expectStepIsWorktree(repo, { others: ['x/inner.ts', 'y.ts'] })
  await repo.commitAs('human', 'b', 'b.ts')
  await agent.turn('write c', { 'c.ts': line('c') })
  await expectStepIsWorktree(repo, { others: ['x/inner.ts', 'y.ts'] })
})

test('a step that is carried over a commit holds nothing that is ignored by then', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write', { 'y.log': 'log\n', 'a.ts': line('a'), 'b.ts': line('b') })
  await agent.turn('ignore logs', { '.gitignore': '*.log\n' })
  await repo.commitAs('human', 'some', '.gitignore', 'a.ts')
  await expectStepIsWorktree(repo)
  expect(repo.state(agent.session).files_touched).toEqual(['b.ts'])
  await repo.commitAs('human', 'rest', 'b.ts')
  expect(await repo.shadows()).toEqual([])
})

test('a step that is carried over a commit holds a directory that is back in place of the agent’s file', async () => {
  await using repo = await recordedRepo()
  repo.write('s/x.ts', line('x'))
  repo.write('s/y.ts', line('y'))
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('write')
  repo.remove('s')
  agent.write('s', 'a file\n')
  agent.write('a.ts', line('a'))
  agent.write('b.ts', line('b'))
  await agent.stop()
  await repo.git('add', 's')
  await repo.git('stash', 'push', '-q', '--', 's')
  repo.write('s/z.ts', line('z'))
  await repo.commitAs('human', 'a', 'a.ts', 's/z.ts')
  await expectStepIsWorktree(repo)
})
