// Makes a repository in which OpenCode is enabled, with a program called `opencode` that has the sessions of
// captured runs.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { opencodeSessions } from './opencode-sessions.ts'
import { runProgram } from './process.ts'
import { type RecordedRepo, recordedRepo } from './recorded-repo.ts'

export interface OpencodeRepo extends RecordedRepo {
  sessions: ReturnType<typeof opencodeSessions>
  /** Plays a captured run, from its beginning up to and including a hook. */
  play(
    scenario: string,
    options?: { until?: string; ending?: 'dispose' | 'gone'; env?: Record<string, string> },
  ): Promise<void>
}

export async function opencodeRepo(): Promise<OpencodeRepo> {
  const repo = await recordedRepo({ agent: 'opencode' })
  installOpencode(join(repo.base, 'bin'))
  return {
    ...repo,
    sessions: opencodeSessions(join(repo.base, 'home')),
    async play(scenario, { until = 'dispose', ending = 'dispose', env = {} } = {}) {
      const plugin = join(repo.root, '.opencode/plugins/entire.ts')
      const events = join(import.meta.dir, '../fixtures/agents/opencode', scenario, 'events.jsonl')
      const ran = await runProgram(
        [
          process.execPath,
          join(import.meta.dir, 'opencode-player.ts'),
          plugin,
          events,
          repo.root,
          ending,
          until,
        ],
        {
          cwd: repo.root,
          env: { ...repo.env, ...env },
        },
      )
      if (ran.code !== 0 || ran.stdout.length > 0 || ran.stderr !== '')
        throw new Error(`${scenario} gave ${ran.code}: ${ran.stdout}${ran.stderr}`)
    },
  }
}

export function installOpencode(bin: string): void {
  if (!existsSync(bin)) mkdirSync(bin, { recursive: true })
  const path = join(bin, 'opencode')
  writeFileSync(
    path,
    `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dir, 'fake-opencode.ts')}' "$@"\n`,
  )
  chmodSync(path, 0o755)
}
