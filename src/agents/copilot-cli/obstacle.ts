// Copilot CLI says nothing when it leaves the hooks of a repository out; this looks where it looks.

import { isAbsolute, join, relative, sep } from 'node:path'
import { parse } from 'jsonc-parser'
import type { Env, Obstacle } from '../../model/agent.ts'
import { exists, readText } from '../../std/file.ts'
import { asObject, asStrings, type JsonObject } from '../../std/json.ts'
import { copilotHome } from './session-files.ts'

const switches = [
  '.github/hooks/entire.json',
  '.github/copilot/settings.json',
  '.github/copilot/settings.local.json',
]

export function findObstacle(root: string, env: Env): Obstacle | undefined {
  const off = switches.find((path) => readSettings(join(root, path)).disableAllHooks === true)
  if (off !== undefined)
    return {
      message: `${off} switches the hooks of Copilot CLI off.`,
      fix: `Remove disableAllHooks from ${off}.`,
    }
  const home = copilotHome(env)
  // Where it was never started nobody waits for a recording.
  if (!exists(home) || isTrusted(root, readSettings(join(home, 'config.json'))) || trustsAnyway(env))
    return undefined
  return {
    message:
      'Copilot CLI runs hooks of a repository only in folders you trust, and this one is not among them.',
    fix: 'Start `copilot` here once and say that you trust the folder; for `copilot -p`, add --trust-folder.',
  }
}

/** A folder that is trusted stands for everything below it. */
function isTrusted(root: string, config: JsonObject): boolean {
  const folders = [...asStrings(config.trustedFolders), ...asStrings(config.trusted_folders)]
  return folders.some((folder) => {
    const below = relative(folder, root)
    return below === '' || (below.split(sep)[0] !== '..' && !isAbsolute(below))
  })
}

function trustsAnyway(env: Env): boolean {
  return env.COPILOT_ALLOW_ALL === 'true' || env.GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS === 'true'
}

/** With comments: Copilot CLI puts some at the top of its own file. */
function readSettings(path: string): JsonObject {
  return asObject(parse(readText(path) ?? '', [], { allowTrailingComma: true })) ?? {}
}
