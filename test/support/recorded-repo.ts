// Makes a repository in which the compiled program is enabled and on PATH, as it is for a user.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { branchName, shadowRef } from '../../src/checkpoints/layout.ts'
import { logFile, temporaryDir } from '../../src/sessions/places.ts'
import { builtFile } from './built-file.ts'
import { type Environment, hermeticEnv } from './environment.ts'
import { runProgram } from './process.ts'
import { repoAt, repoFromTemplate, type TempRepo } from './repo.ts'
import { makeRepo, type RepoKind, topOf } from './repo-kinds.ts'

export const binary = builtFile('entire')

export type Who = 'human' | 'agent'

export interface RecordedRepo extends TempRepo {
  /** Runs the compiled program; never throws for an exit code. */
  entire(
    args: string[],
    options?: { stdin?: string; env?: Record<string, string>; cwd?: string },
  ): Promise<{ code: number; out: string; err: string }>
  /**
   * A git command by a person at a terminal, or by an agent without one. Throws when git fails; returns its
   * stderr.
   */
  gitAs(who: Who, args: string[], options?: { cwd?: string; env?: Record<string, string> }): Promise<string>
  /** `git commit` by a person at a terminal, or by an agent without one. */
  commitAs(who: Who, message: string, ...paths: string[]): Promise<string>
  /** The message of a commit. */
  message(rev?: string): Promise<string>
  /** Checkpoint ids in the trailers of a commit. */
  checkpointsOf(rev?: string): Promise<string[]>
  /** The checkpoint id of a commit that has exactly one. */
  checkpointOf(rev?: string): Promise<string>
  /** A file of a checkpoint on the metadata branch. */
  stored(id: string, path: string): Promise<string>
  /** The metadata of a session in a checkpoint. */
  storedSession(id: string, slot?: number): Promise<Record<string, unknown>>
  /** The transcript of a session in a checkpoint: its chunks, joined as every reader joins them. */
  transcript(id: string, slot?: number): Promise<string>
  /** The lines of such a transcript, which has to end with a newline as the agent's file does. */
  transcriptLines(id: string, slot?: number): Promise<string[]>
  state(session: string): Record<string, unknown>
  hasState(session: string): boolean
  refs(pattern: string): Promise<string[]>
  /** The shadow branches there are. */
  shadows(): Promise<string[]>
  /** The name of this work tree's shadow branch for a commit. */
  shadow(commit: string): string
  /** Subjects of the commits of a branch, newest first; of a shadow branch without the states before turns. */
  subjects(rev: string): Promise<string[]>
  /** Paths in the tree of a commit. */
  paths(rev: string): Promise<string[]>
  /** Lines of the log file, newest last. */
  log(): Record<string, unknown>[]
  /** Temporary files of the work tree. */
  temporary(): string[]
  /** Another work tree of the same repository. */
  addWorktree(name: string): Promise<RecordedRepo>
  /** A colleague's clone of a remote, beside this repository, in which the program is enabled. */
  addClone(name: string, remote: string): Promise<RecordedRepo>
}

export interface RecordedRepoOptions {
  kind?: RepoKind
  agent?: string
  env?: Record<string, string>
  on?: 'disk'
  /** What `enable` wrote is committed, with the subject `setup`. */
  isCommitted?: true
}

export async function recordedRepo(options: RecordedRepoOptions = {}): Promise<RecordedRepo> {
  const { kind = 'plain', agent = 'claude-code', env = {} } = options
  if (options.isCommitted) return await committedRepo(options)
  const make = (base: string) => makeRecordedRepo(base, kind, agent)
  const plain = await repoFromTemplate({ name: `${kind}-with-${agent}`, kind, make }, options)
  Object.assign(plain.env, withProgram(plain.base, plain.env), env)
  return describe(plain)
}

function committedRepo({ kind = 'plain', agent = 'claude-code', ...options }: RecordedRepoOptions) {
  const template = { name: `${kind}-with-${agent}-committed`, kind, agent }
  return preparedRepo(template, options, async (repo) => {
    await repo.commitAs('human', 'setup')
  })
}

/** A copy of a recorded repository that `prepare` has changed, once per test run. */
export async function preparedRepo(
  { name, kind = 'plain', agent = 'claude-code' }: { name: string; kind?: RepoKind; agent?: string },
  options: Pick<RecordedRepoOptions, 'env' | 'on'>,
  prepare: (repo: RecordedRepo) => Promise<void>,
): Promise<RecordedRepo> {
  const make = async (base: string) => {
    await makeRecordedRepo(base, kind, agent)
    const dir = { base, env: withProgram(base, hermeticEnv(base)), async [Symbol.asyncDispose]() {} }
    await prepare(describe(repoAt(dir, join(base, topOf(kind)))))
  }
  const plain = await repoFromTemplate({ name, kind, make }, options)
  Object.assign(plain.env, withProgram(plain.base, plain.env), options.env)
  return describe(plain)
}

async function makeRecordedRepo(base: string, kind: RepoKind, agent: string): Promise<void> {
  const env = withProgram(base, hermeticEnv(base))
  mkdirSync(join(base, 'bin'))
  symlinkSync(binary, join(base, 'bin', 'entire'))
  await makeRepo(kind, base, env)
  const ran = await runProgram([binary, 'enable', '--agent', agent], { cwd: join(base, topOf(kind)), env })
  if (ran.code !== 0) throw new Error(`enable failed: ${ran.stderr}`)
}

function withProgram(base: string, env: Environment): Environment {
  return { ...env, PATH: `${join(base, 'bin')}${delimiter}${env.PATH}` }
}

function describe(plain: TempRepo): RecordedRepo {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
  const stateFile = (session: string) => join(plain.repo.commonDir, 'entire-sessions', `${session}.json`)
  const lines = (output: string) => output.split('\n').filter((line) => line !== '')
  const repo: RecordedRepo = {
    ...plain,
    async entire(args, options = {}) {
      const ran = await plain.run([binary, ...args], { ...options, env: { ...plain.env, ...options.env } })
      return { code: ran.code, out: text(ran.stdout), err: ran.stderr }
    },
    async gitAs(who, args, options = {}) {
      const env = { ...plain.env, ENTIRE_TEST_TTY: who === 'human' ? '1' : '0', ...options.env }
      const ran = await plain.run(['git', ...args], { ...options, env })
      if (ran.code !== 0) throw new Error(`git ${args.join(' ')} gave ${ran.code}: ${ran.stderr}`)
      return ran.stderr
    },
    async commitAs(who, message, ...paths) {
      await plain.git('add', '--all', '--', ...(paths.length === 0 ? ['.'] : paths))
      await repo.gitAs(who, ['commit', '--quiet', '-m', message])
      return plain.head()
    },
    message: (rev = 'HEAD') => plain.git('log', '-1', '--format=%B', rev),
    async checkpointsOf(rev = 'HEAD') {
      return [...(await repo.message(rev)).matchAll(/^Entire-Checkpoint: (\S+)$/gm)].map(
        (match) => match[1] as string,
      )
    },
    async checkpointOf(rev = 'HEAD') {
      const ids = await repo.checkpointsOf(rev)
      if (ids.length !== 1)
        throw new Error(`${rev} has ${ids.length} checkpoints:\n${await repo.message(rev)}`)
      return ids[0] as string
    },
    stored: (id, path) => plain.git('show', `entire/checkpoints/v1:${id.slice(0, 2)}/${id.slice(2)}/${path}`),
    storedSession: async (id, slot = 0) => JSON.parse(await repo.stored(id, `${slot}/metadata.json`)),
    async transcript(id, slot = 0) {
      const dir = `${id.slice(0, 2)}/${id.slice(2)}/${slot}`
      const chunks = (await repo.paths(`entire/checkpoints/v1:${dir}`))
        .filter((name) => name.startsWith('full.jsonl'))
        .toSorted()
      return (await Promise.all(chunks.map((name) => repo.stored(id, `${slot}/${name}`)))).join('\n')
    },
    async transcriptLines(id, slot) {
      const text = await repo.transcript(id, slot)
      if (!text.endsWith('\n')) throw new Error(`the transcript in ${id} ends with ${text.slice(-80)}`)
      return text.slice(0, -1).split('\n')
    },
    state: (session) => JSON.parse(readFileSync(stateFile(session), 'utf8')),
    hasState: (session) => existsSync(stateFile(session)),
    refs: async (pattern) => lines(await plain.git('for-each-ref', '--format=%(refname:short)', pattern)),
    shadows: async () =>
      (await repo.refs('refs/heads/entire/')).filter((name) => name !== 'entire/checkpoints/v1'),
    shadow: (commit) => branchName(shadowRef(commit, plain.repo.worktreeId)),
    subjects: async (rev) =>
      lines(await plain.git('log', '--invert-grep', '--grep=^Entire-Before-Turn: ', '--format=%s', rev)),
    paths: async (rev) => lines(await plain.git('ls-tree', '-r', '--name-only', rev)),
    log() {
      const path = logFile(plain.repo)
      return existsSync(path) ? lines(readFileSync(path, 'utf8')).map((line) => JSON.parse(line)) : []
    },
    temporary() {
      const dir = temporaryDir(plain.repo)
      return existsSync(dir) ? readdirSync(dir) : []
    },
    async addWorktree(name) {
      const path = join(plain.base, name)
      await plain.git('worktree', 'add', '--quiet', '-b', name, path)
      return describe(repoAt(plain, path))
    },
    async addClone(name, remote) {
      const path = join(plain.base, name)
      const identity = [`user.name=${name}`, `user.email=${name}@example.com`].flatMap((pair) => [
        '--config',
        pair,
      ])
      await plain.git('clone', '--quiet', ...identity, remote, path)
      const clone = describe(repoAt(plain, path))
      const ran = await clone.entire(['enable', '--agent', 'claude-code'], { cwd: path })
      if (ran.code !== 0) throw new Error(`enable failed: ${ran.err}`)
      return clone
    },
  }
  return repo
}
