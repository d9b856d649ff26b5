// Lists the kinds of repository people work in, each as the commands that make one below a temporary
// directory.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from './environment.ts'
import { runGit, runProgram } from './process.ts'

/** Makes the repository and returns the top of the work tree to test in. */
type Make = (base: string, env: Environment) => Promise<string>

const identity = '[user]\n\tname = Test User\n\temail = test@example.com\n'

async function init(dir: string, env: Environment, ...options: string[]): Promise<string> {
  mkdirSync(dir, { recursive: true })
  await runGit(dir, env, ['init', '--quiet', '--initial-branch=main', ...options])
  appendFileSync(join(dir, '.git', 'config'), identity)
  return dir
}

async function firstCommit(
  dir: string,
  env: Environment,
  files: Record<string, string> = { 'README.md': '# test\n' },
): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), content)
  }
  await runGit(dir, env, ['add', '--all'])
  await runGit(dir, env, ['commit', '--quiet', '-m', 'first'])
  return dir
}

async function plain(base: string, env: Environment): Promise<string> {
  return await firstCommit(await init(join(base, 'repo'), env), env)
}

async function origin(base: string, env: Environment): Promise<string> {
  const dir = await firstCommit(await init(join(base, 'origin'), env), env)
  for (const round of ['2', '3']) {
    writeFileSync(join(dir, 'README.md'), `# test ${round}\n`)
    await runGit(dir, env, ['commit', '--quiet', '--all', '-m', `round ${round}`])
  }
  await runGit(dir, env, ['config', 'uploadpack.allowFilter', 'true'])
  return dir
}

async function clone(base: string, env: Environment, ...options: string[]): Promise<string> {
  const from = await origin(base, env)
  const dir = join(base, 'repo')
  await runGit(base, env, ['clone', '--quiet', ...options, `file://${from}`, dir])
  appendFileSync(join(dir, '.git', 'config'), identity)
  return dir
}

const makers = {
  plain,
  'linked-worktree': async (base, env) => {
    const main = await plain(base, env)
    await runGit(main, env, ['worktree', 'add', '--quiet', '-b', 'side', join(base, 'linked')])
    return join(base, 'linked')
  },
  submodule: async (base, env) => {
    const library = await firstCommit(await init(join(base, 'library'), env), env, {
      'README.md': '# library\n',
    })
    const parent = await plain(base, env)
    await runGit(parent, env, ['submodule', '--quiet', 'add', `file://${library}`, 'lib'])
    await runGit(parent, env, ['commit', '--quiet', '-m', 'add lib'])
    appendFileSync(join(parent, '.git', 'modules', 'lib', 'config'), identity)
    return join(parent, 'lib')
  },
  'bare-parent': async (base, env) => {
    const seed = await firstCommit(await init(join(base, 'seed'), env), env)
    const project = join(base, 'project')
    await runGit(base, env, ['clone', '--quiet', '--bare', seed, join(project, '.bare')])
    appendFileSync(join(project, '.bare', 'config'), identity)
    writeFileSync(join(project, '.git'), 'gitdir: ./.bare\n')
    await runGit(project, env, ['worktree', 'add', '--quiet', 'main', 'main'])
    return join(project, 'main')
  },
  sha256: async (base, env) =>
    await firstCommit(await init(join(base, 'repo'), env, '--object-format=sha256'), env),
  reftable: async (base, env) =>
    await firstCommit(await init(join(base, 'repo'), env, '--ref-format=reftable'), env),
  sparse: async (base, env) => {
    const dir = await init(join(base, 'repo'), env)
    await firstCommit(dir, env, { 'README.md': '# test\n', 'in/a.txt': 'a\n', 'out/b.txt': 'b\n' })
    await runGit(dir, env, ['sparse-checkout', 'set', 'in'])
    return dir
  },
  'partial-clone': (base, env) => clone(base, env, '--filter=blob:none'),
  'shallow-clone': (base, env) => clone(base, env, '--depth=1'),
  detached: async (base, env) => {
    const dir = await plain(base, env)
    await runGit(dir, env, ['checkout', '--quiet', '--detach'])
    return dir
  },
  unborn: (base, env) => init(join(base, 'repo'), env),
  'hooks-path': async (base, env) => {
    const dir = await plain(base, env)
    mkdirSync(join(dir, '.githooks'))
    await runGit(dir, env, ['config', 'core.hooksPath', '.githooks'])
    return dir
  },
  'worktree-config': async (base, env) => {
    const main = await plain(base, env)
    await runGit(main, env, ['config', 'extensions.worktreeConfig', 'true'])
    await runGit(main, env, ['worktree', 'add', '--quiet', '-b', 'side', join(base, 'linked')])
    await runGit(join(base, 'linked'), env, ['config', '--worktree', 'user.name', 'Worktree User'])
    return join(base, 'linked')
  },
} satisfies Record<string, Make>

export type RepoKind = keyof typeof makers

/** Makes a repository below the directory. */
export async function makeRepo(kind: RepoKind, base: string, env: Environment): Promise<void> {
  const top = await makers[kind](base, env)
  if (top !== join(base, topOf(kind))) throw new Error(`The top of ${kind} is ${top}.`)
}

const tops: Partial<Record<RepoKind, string>> = {
  'linked-worktree': 'linked',
  submodule: 'repo/lib',
  'bare-parent': 'project/main',
  'worktree-config': 'linked',
}

/** Where the work tree to test in is, below the directory of the repository. */
export function topOf(kind: RepoKind): string {
  return tops[kind] ?? 'repo'
}

/** Whether the installed git can make repositories with `--ref-format=reftable` (2.45 and later). */
export async function canReftable(base: string, env: Environment): Promise<boolean> {
  const { code } = await runProgram(
    ['git', 'init', '--quiet', '--ref-format=reftable', join(base, 'probe')],
    { cwd: base, env },
  )
  return code === 0
}

/** Every kind the installed git can make. */
export async function availableKinds(base: string, env: Environment): Promise<RepoKind[]> {
  const kinds = Object.keys(makers) as RepoKind[]
  return (await canReftable(base, env)) ? kinds : kinds.filter((kind) => kind !== 'reftable')
}
