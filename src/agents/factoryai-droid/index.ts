// Defines Droid by Factory as an agent, finds its sessions, and finds out why it does not run installed
// hooks.

import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Agent, Obstacle, SessionResumer, TextGenerator } from '../../model/agent.ts'
import type { Environment } from '../../std/environment.ts'
import { EntireError } from '../../std/errors.ts'
import { exists, readText } from '../../std/file.ts'
import { findObjects } from '../../std/json.ts'
import { factoryaiDroidCard } from '../cards.ts'
import { asText, hookParser, lazyInstaller } from '../shared/hook-table.ts'
import { droidHooks } from './hooks.ts'
import { droidTranscript } from './transcript.ts'

export const droidResume: SessionResumer = {
  // Named after the path of the project, with dashes for slashes.
  sessionDir: (root, env) =>
    env.ENTIRE_TEST_DROID_PROJECT_DIR ||
    join(
      env.FACTORY_HOME_OVERRIDE || env.HOME || homedir(),
      '.factory',
      'sessions',
      root.replace(/[/\\]/g, '-'),
    ),
  sessionFile: (dir, session) => join(dir, `${session}.jsonl`),
  command: (session) => `droid --session-id ${session}`,
}

/** Writes text: `droid exec` reads its prompt from a pipe, and may only read files by default. */
export const droidGenerator: TextGenerator = {
  command: ({ model }) => [
    'droid',
    'exec',
    '--output-format',
    'json',
    ...(model === undefined ? [] : [`--model=${model}`]),
  ],
  env: { FACTORY_PROJECT_DIR: undefined },
  parseAnswer(output) {
    const result = findObjects(output).findLast((object) => object.type === 'result')
    const answer = asText(result?.result)
    if (answer !== undefined && result?.is_error !== true) return answer
    throw new EntireError('agent-failed', answer ?? 'It printed no result.')
  },
}

export const factoryaiDroid = {
  ...factoryaiDroidCard,
  description: "Factory AI Droid - Factory's coding agent",
  protectedDirs: ['.factory'],
  detect: (root) => exists(join(root, '.factory')),
  hookNames: Object.keys(droidHooks),
  parseHook: hookParser('factoryai-droid', droidHooks),
  projectDir: (payload, env) => asText(env.FACTORY_PROJECT_DIR) ?? asText(payload.cwd),
  transcript: droidTranscript,
  tasksEndWithTurn: true,
  installer: lazyInstaller(
    '.factory/settings.json',
    async () => (await import('./install.ts')).droidInstaller,
  ),
  findObstacle: droidObstacle,
  // Droid shows the output of a hook as it is.
  hookResponse: (message) => `${message.trim()}\n`,
  resume: droidResume,
  generator: droidGenerator,
} satisfies Agent

const hookFiles = ['.factory/hooks.json', '.factory/hooks/hooks.json']
const settingsFiles = ['.factory/settings.json', '.factory/settings.local.json']

/**
 * Droid reads the hooks in settings.json only where there is no hooks.json, and none where hooks are
 * disabled.
 */
function droidObstacle(root: string, env: Environment): Obstacle | undefined {
  const other = hookFiles.find(
    (file) => readText(join(root, file))?.includes('hooks factoryai-droid ') === false,
  )
  if (other !== undefined)
    return {
      message: `Droid reads hooks only from ${other}, and those of Entire are in .factory/settings.json.`,
      fix: `Move the hooks of ${other} to "hooks" in .factory/settings.json and delete the file.`,
    }
  const user = join(env.FACTORY_HOME_OVERRIDE || env.HOME || homedir(), '.factory', 'settings.json')
  const disabledIn = [...settingsFiles.map((file) => join(root, file)), user].find((file) =>
    /"hooksDisabled"\s*:\s*true/.test(readText(file) ?? ''),
  )
  return disabledIn === undefined
    ? undefined
    : { message: `The hooks of Droid are disabled in ${disabledIn}.`, fix: 'Remove "hooksDisabled" there.' }
}
