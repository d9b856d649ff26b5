// Gives a test a real repository in a temporary directory; `await using repo = await tempRepo()` removes it
// afterwards.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findRepo, type Repo } from '../../src/git/repo.ts'
import { nativePathIn } from '../../src/std/encoding.ts'
import { type Environment, hermeticEnv } from './environment.ts'
import { refreshIndex } from './index-stats.ts'
import { type Ran, runGit, runProgram } from './process.ts'
import { makeRepo, type RepoKind, topOf } from './repo-kinds.ts'
import { copyTemplate } from './template.ts'

export interface TempDir extends AsyncDisposable {
  /** Real path; holds `home` and everything the test makes. */
  base: string
  env: Environment
}

export interface TempRepo extends TempDir {
  /** Top of the work tree, symlinks resolved. */
  root: string
  repo: Repo
  /** Standard output without its last newline; throws when git fails. */
  git(...args: string[]): Promise<string>
  /** Any program, at the top of the work tree; never throws for an exit code. */
  run(
    argv: string[],
    options?: { cwd?: string; env?: Environment; stdin?: string | Uint8Array },
  ): Promise<Ran>
  /** Paths are relative to the root; bytes that are not UTF-8 travel as in `std/path-bytes.ts`. */
  write(path: string, content: string | Uint8Array, mode?: number): void
  read(path: string): string
  remove(path: string): void
  /** Commits the paths, or everything when none is named, and returns the new commit. */
  commit(message: string, ...paths: string[]): Promise<string>
  head(): Promise<string>
  /** Installs a shell script as a git hook; the shebang is added. */
  hook(name: string, script: string): Promise<string>
}

/** On disk for tests about the disk itself; elsewhere in memory, where there is room. */
export function tempDir(options: { on?: 'disk' } = {}): TempDir {
  const parent = options.on === 'disk' ? (process.env.ENTIRE_TEST_DISK ?? tmpdir()) : tmpdir()
  const base = realpathSync(mkdtempSync(join(parent, 'entire-test-')))
  return {
    base,
    env: hermeticEnv(base),
    async [Symbol.asyncDispose]() {
      rmSync(base, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

export async function tempRepo(options: { kind?: RepoKind } = {}): Promise<TempRepo> {
  const kind = options.kind ?? 'plain'
  return await repoFromTemplate({ name: kind, kind, make: (base) => makeRepo(kind, base, hermeticEnv(base)) })
}

export interface RepoTemplate {
  name: string
  kind: RepoKind
  /** Makes the repository in a directory, once per test run. */
  make(base: string): Promise<void>
}

/** A copy of the repository that a template makes. */
export async function repoFromTemplate(
  template: RepoTemplate,
  options: { on?: 'disk' } = {},
): Promise<TempRepo> {
  const dir = tempDir(options)
  try {
    await copyTemplate(template.name, dir.base, template.make)
    const repo = repoAt(dir, join(dir.base, topOf(template.kind)))
    // The index knows the files of the template by their inodes.
    const index = join(repo.repo.gitDir, 'index')
    if (existsSync(index) && !refreshIndex(repo.root, index))
      await repo.git('update-index', '-q', '--refresh')
    return repo
  } catch (error) {
    await dir[Symbol.asyncDispose]()
    throw error
  }
}

/** The repository at `root`, below the directory that a test owns: another work tree of it, or a clone. */
export function repoAt(dir: TempDir, root: string): TempRepo {
  const { env } = dir
  const repo = findRepo(root, env)
  if (repo === undefined) throw new Error(`No repository was found at ${root}.`)
  const git = (...args: string[]) => runGit(root, env, args)
  const place = (path: string) => nativePathIn(root, path)
  const head = async () => readHead(repo) ?? (await git('rev-parse', 'HEAD'))
  return {
    ...dir,
    root,
    repo,
    git,
    head,
    run: (argv, options = {}) => runProgram(argv, { cwd: root, env, ...options }),
    write(path, content, mode) {
      mkdirSync(nativePathIn(root, path.slice(0, Math.max(0, path.lastIndexOf('/')))), { recursive: true })
      writeFileSync(place(path), content)
      if (mode !== undefined) chmodSync(place(path), mode)
    },
    read: (path) => readFileSync(place(path), 'utf8'),
    remove: (path) => rmSync(place(path), { recursive: true }),
    async commit(message, ...paths) {
      await git('add', '--all', '--', ...(paths.length === 0 ? ['.'] : paths))
      await git('commit', '--quiet', '-m', message)
      return await head()
    },
    async hook(name, script) {
      const path = resolve(root, await git('rev-parse', '--git-path', 'hooks'), name)
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
      return path
    },
  }
}

/** The commit of HEAD as its files have it; undefined where only git finds it: packed, or in a reftable. */
function readHead({ gitDir, commonDir }: Repo): string | undefined {
  const head = readFileSync(join(gitDir, 'HEAD'), 'utf8').trim()
  if (!head.startsWith('ref: ')) return head
  const file = join(commonDir, head.slice('ref: '.length))
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}
