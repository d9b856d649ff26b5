// Makes the sandbox of a trial of an external agent: a repository with one commit, and a home directory.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentProtocolVersion, limits } from '../../../protocol/external-agent/subcommand.ts'
import type { Environment } from '../../../std/environment.ts'
import { runLimited } from '../../../std/limited-process.ts'
import { isolate, SandboxRoot } from '../sandbox.ts'

export interface AgentSandbox {
  /** The repository. */
  root: string
  home: string
  env: Environment
}

export interface AgentSandboxes {
  /** A fresh one for each trial. */
  next(): AgentSandbox
  remove(): void
}

export async function makeAgentSandboxes(env: Environment): Promise<AgentSandboxes> {
  const sandboxes = new SandboxRoot('entire-agent-check-')
  const template = join(sandboxes.dir, 'template')
  await makeRepo(template, isolateAgent(env, join(sandboxes.dir, 'template-home')))
  return {
    next: () => {
      const { dir, home, temporary } = sandboxes.next()
      const root = join(dir, 'repo')
      cpSync(template, root, { recursive: true })
      return { root, home, env: { ...isolateAgent(env, home), TMPDIR: temporary, ...callerEnv(root) } }
    },
    remove: () => sandboxes.remove(),
  }
}

/**
 * Without variables that point to files of the user, and without those that git or a running hook has set.
 */
function isolateAgent(env: Environment, home: string): Environment {
  return { ...isolate(env, home, ['GIT_', 'XDG_', 'ENTIRE_']), GIT_CONFIG_NOSYSTEM: '1' }
}

function callerEnv(root: string): Environment {
  return { ENTIRE_REPO_ROOT: root, ENTIRE_PROTOCOL_VERSION: String(agentProtocolVersion) }
}

async function makeRepo(root: string, env: Environment): Promise<void> {
  mkdirSync(root, { recursive: true })
  mkdirSync(env.HOME ?? root, { recursive: true })
  writeFileSync(join(root, 'README.md'), '# Conformance\n')
  const author = ['-c', 'user.name=Check', '-c', 'user.email=check@example.com', '-c', 'commit.gpgsign=false']
  for (const words of [
    ['init', '-q', '--template=', '-b', 'main'],
    ['add', 'README.md'],
    [...author, 'commit', '-q', '-m', 'Start'],
  ]) {
    const { code, stderr, startError } = await runLimited(['git', ...words], { cwd: root, env, ...limits })
    if (code !== 0) throw new Error(`git ${words.join(' ')} failed: ${startError ?? stderr}`)
  }
}
