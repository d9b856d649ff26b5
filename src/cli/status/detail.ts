// Writes what `entire status --detailed` adds: the files behind the facts, and how much has been recorded.

import { relative } from 'node:path'
import { findCheckpointIds } from '../../checkpoints/read.ts'
import { openObjectReader } from '../../git/cat-file.ts'
import { readConfig } from '../../git/config.ts'
import type { Repo } from '../../git/repo.ts'
import type { Settings } from '../../model/settings.ts'
import { logFile } from '../../sessions/places.ts'
import { settingsFiles, settingsPaths } from '../../settings/read.ts'
import { clean, tableLines } from '../render/text.ts'
import type { HookHealth } from '../setup/health.ts'
import type { OpenSessions } from './facts.ts'

const backends: Record<Settings['checkpointsBackend'], string> = {
  'git-branch': 'branch entire/checkpoints/v1',
  'git-refs': 'one ref each, below refs/entire/checkpoints',
}

const hookStates: Record<HookHealth['git'], string> = {
  all: 'installed',
  outdated: 'out of date',
  missing: 'missing',
}

export async function statusDetailLines(
  repo: Repo,
  settings: Settings,
  hooks: HookHealth,
  open: OpenSessions,
): Promise<string[]> {
  const [{ hooksDir }, checkpoints] = await Promise.all([readConfig(repo), countCheckpoints(repo)])
  const rows = [
    [
      'Settings',
      settingsFiles(repo.root)
        .map((file) => settingsPaths[file])
        .join(', '),
    ],
    ...hooks.agents.map((agent) => [
      `${agent.type} hooks`,
      `${hooks.outdated.includes(agent) ? 'out of date' : 'installed'} (${agent.installer.configPath})`,
    ]),
    ['Git hooks', `${hookStates[hooks.git]} (${clean(shortPath(repo, hooksDir))})`],
    ['Checkpoints', `${checkpoints} (${backends[settings.checkpointsBackend]})`],
    ['Push', settings.pushSessions ? "with 'git push'" : 'never (push_sessions is off)'],
    ['Sessions', `${open.total}, ${open.sessions.length + open.more} not ended`],
    ['Log', `${clean(shortPath(repo, logFile(repo)))} (${settings.logLevel})`],
  ]
  return ['', ...tableLines(rows, { indent: 2 })]
}

async function countCheckpoints(repo: Repo): Promise<number> {
  await using objects = openObjectReader(repo)
  return (await findCheckpointIds(repo, objects, '')).length
}

function shortPath(repo: Repo, path: string): string {
  const inside = relative(repo.root, path)
  return inside.startsWith('..') ? path : inside
}
