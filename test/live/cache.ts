// Brings the agents from npm into a cache folder of their own, so that none of them becomes a dependency of
// the project.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runLimited } from '../../src/std/limited-process.ts'
import type { LiveAgent } from './agents/live-agent.ts'
import type { Sandbox } from './sandbox.ts'

type Env = Record<string, string | undefined>

/** `ENTIRE_LIVE_AGENTS` names another folder. */
export function cacheDir(env: Env): string {
  return (
    env.ENTIRE_LIVE_AGENTS ||
    join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'entire-ts', 'live-agents')
  )
}

export type Installed = { bin: string } | { problem: string }

/**
 * The folder with the agent's program in it. One folder for each version: two checkouts may want different
 * ones.
 */
export async function install(agent: LiveAgent, sandbox: Sandbox, env: Env): Promise<Installed> {
  const dir = join(cacheDir(env), `${agent.name}-${agent.version}`)
  const bin = join(dir, 'node_modules', '.bin')
  if (existsSync(join(bin, agent.program))) return { bin }
  // Moved into place when complete: an interrupted installation must not look complete.
  const fresh = `${dir}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  try {
    const problem =
      (await npmInstall(`${agent.package}@${agent.version}`, fresh, env)) ??
      (await finish(agent, sandbox, fresh, env))
    if (problem !== undefined) return { problem }
    if (!existsSync(join(fresh, 'node_modules', '.bin', agent.program)))
      return { problem: `${agent.package} brings no ${agent.program}` }
    rmSync(dir, { recursive: true, force: true })
    renameSync(fresh, dir)
    return { bin }
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

// Scripts of packages are not run with a network.
async function npmInstall(what: string, dir: string, env: Env): Promise<string | undefined> {
  const argv = [
    'npm',
    'install',
    '--prefix',
    dir,
    '--ignore-scripts',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    what,
  ]
  const inherited = Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_(?:package|lifecycle)_/.test(name)),
  )
  return await problemOf(argv, dir, inherited)
}

async function finish(
  { afterInstall }: LiveAgent,
  sandbox: Sandbox,
  dir: string,
  env: Env,
): Promise<string | undefined> {
  if (afterInstall === undefined) return undefined
  return await problemOf(sandbox.wrap(['node', join('node_modules', afterInstall)]), dir, env)
}

async function problemOf(argv: string[], cwd: string, env: Env): Promise<string | undefined> {
  const ran = await runLimited(argv, { cwd, env, timeoutMs: 600_000, maxBytes: 1 << 20 })
  if (ran.code === 0) return undefined
  if (ran.startError !== undefined) return `${argv[0]} cannot be started: ${ran.startError}`
  if (ran.timedOut) return `${argv[0]} took too long`
  const lines = ran.stderr.split('\n').filter((line) => line !== '')
  return lines.find((line) => /error/i.test(line)) ?? `${argv[0]} ended with ${ran.code ?? ran.signal}`
}
