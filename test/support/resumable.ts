// Makes repositories with sessions to resume, and a second machine to resume them on.
import { mkdirSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { hermeticEnv } from './environment.ts'
import { type FakeAgent, fakeAgent } from './fake-agent.ts'
import { runProgram } from './process.ts'
import { binary, type RecordedRepo, recordedRepo } from './recorded-repo.ts'

export interface Resumable {
  repo: RecordedRepo
  agent: FakeAgent
  checkpoint: string
  [Symbol.asyncDispose](): Promise<void>
}

/** A session was committed on `feature`; `main` is checked out. */
export async function featureWithSession(prompt = 'add a parser'): Promise<Resumable> {
  const repo = await recordedRepo()
  await repo.commit('set up')
  await repo.git('switch', '--quiet', '-c', 'feature')
  const agent = fakeAgent(repo)
  await agent.turn(prompt, { 'parser.ts': 'export const parser = 1\n' })
  await repo.commitAs('human', 'add parser', 'parser.ts')
  const checkpoint = await repo.checkpointOf()
  await repo.git('switch', '--quiet', 'main')
  return {
    repo,
    agent,
    checkpoint,
    async [Symbol.asyncDispose]() {
      await repo[Symbol.asyncDispose]()
    },
  }
}

/** An entry at a time of its own, at the end of the local log. */
export function goOn(agent: FakeAgent, at: string): void {
  agent.log({ type: 'user', timestamp: at, message: { role: 'user', content: 'and then' } })
}

export interface Machine {
  home: string
  root: string
  env: Record<string, string | undefined>
  git(...args: string[]): Promise<string>
  entire(...args: string[]): Promise<{ code: number; out: string; err: string }>
}

/** A bare repository that has everything, under `origin`. */
export async function pushAll(repo: RecordedRepo): Promise<string> {
  const remote = join(repo.base, 'origin.git')
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', remote)
  await repo.git('-C', remote, 'config', 'uploadpack.allowFilter', 'true')
  await repo.git('-C', remote, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
  await repo.git('remote', 'add', 'origin', remote)
  await repo.git('push', '--quiet', 'origin', 'main', 'feature')
  return remote
}

/** Another person's home, and a clone under another path. */
export async function otherMachine(
  repo: RecordedRepo,
  remote: string,
  ...cloneArgs: string[]
): Promise<Machine> {
  const base = join(repo.base, 'elsewhere')
  mkdirSync(join(base, 'bin'), { recursive: true })
  symlinkSync(binary, join(base, 'bin/entire'))
  const env = { ...hermeticEnv(base), PATH: `${join(base, 'bin')}${delimiter}${repo.env.PATH}` }
  const root = join(base, 'work', 'the clone')
  const run = async (argv: string[], cwd: string) => {
    const ran = await runProgram(argv, { cwd, env })
    return { code: ran.code, out: ran.stdout.toString('utf8'), err: ran.stderr }
  }
  const git = async (args: string[], cwd: string) => {
    const ran = await run(['git', ...args], cwd)
    if (ran.code !== 0) throw new Error(`git ${args.join(' ')} gave ${ran.code}: ${ran.err}`)
    return ran.out.replace(/\n$/, '')
  }
  await git(['clone', '--quiet', ...cloneArgs, remote, root], base)
  return {
    home: join(base, 'home'),
    root,
    env,
    git: (...args) => git(args, root),
    entire: (...args) => run([binary, ...args], root),
  }
}
