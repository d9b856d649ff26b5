// Finds out why Copilot CLI does not run installed hooks: it silently skips those of folders that are not
// trusted.

import { isAbsolute, join, relative, sep } from 'node:path'
import { parse } from 'jsonc-parser'
import type { Obstacle } from '../../model/agent.ts'
import type { Environment } from '../../std/environment.ts'
import { exists, readText } from '../../std/file.ts'
import { asObject, asStrings, type JsonObject } from '../../std/json.ts'
import { tooDeepIsInvalid } from '../../std/json-edit.ts'
import { copilotHome } from './session-files.ts'

const settingsFiles = [
  '.github/hooks/entire.json',
  '.github/copilot/settings.json',
  '.github/copilot/settings.local.json',
]

export function copilotObstacle(root: string, env: Environment): Obstacle | undefined {
  const off = settingsFiles.find((path) => readSettings(join(root, path)).disableAllHooks === true)
  if (off !== undefined)
    return {
      message: `${off} disables the hooks of Copilot CLI.`,
      fix: `Remove disableAllHooks from ${off}.`,
    }
  const home = copilotHome(env)
  // Where Copilot CLI was never used, there is nothing to report.
  if (!exists(home) || isTrusted(root, readSettings(join(home, 'config.json'))) || trustsEverything(env))
    return undefined
  return {
    message:
      'Copilot CLI runs hooks of a repository only in folders that you trust, and this one is not trusted.',
    fix: 'Start `copilot` here once and trust the folder; for `copilot -p`, add --trust-folder.',
  }
}

/** A trusted folder covers everything below it. */
function isTrusted(root: string, config: JsonObject): boolean {
  const folders = [...asStrings(config.trustedFolders), ...asStrings(config.trusted_folders)]
  return folders.some((folder) => {
    const below = relative(folder, root)
    return below === '' || (below.split(sep)[0] !== '..' && !isAbsolute(below))
  })
}

function trustsEverything(env: Environment): boolean {
  return env.COPILOT_ALLOW_ALL === 'true' || env.GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS === 'true'
}

/** May contain comments: Copilot CLI writes some at the top of its own file. */
function readSettings(path: string): JsonObject {
  return asObject(tooDeepIsInvalid(() => parse(readText(path) ?? '', [], { allowTrailingComma: true }))) ?? {}
}
