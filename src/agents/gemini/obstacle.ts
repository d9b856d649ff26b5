// Finds out why Gemini CLI does not run installed hooks: it silently skips those of directories that are not
// trusted.

import { homedir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { parse } from 'jsonc-parser'
import type { Obstacle } from '../../model/agent.ts'
import type { Environment } from '../../std/environment.ts'
import { exists, readText } from '../../std/file.ts'
import { asObject, type JsonObject } from '../../std/json.ts'
import { tooDeepIsInvalid } from '../../std/json-edit.ts'

export function geminiObstacle(root: string, env: Environment): Obstacle | undefined {
  const home = join(env.GEMINI_CLI_HOME || env.HOME || homedir(), '.gemini')
  // Where Gemini CLI was never used, there is nothing to report.
  if (!exists(home)) return undefined
  if (env.GEMINI_CLI_TRUST_WORKSPACE === 'true') return undefined
  const security = asObject(readSettings(join(home, 'settings.json')).security)
  if (asObject(security?.folderTrust)?.enabled === false) return undefined
  const verdict = findVerdict(
    readSettings(env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(home, 'trustedFolders.json')),
    root,
  )
  if (verdict === 'trusted') return undefined
  const state =
    verdict === undefined ? 'does not trust this directory yet' : 'is set not to trust this directory'
  return {
    message: `Gemini CLI ${state}, and runs no hooks there: its sessions are not recorded.`,
    fix: `Start \`gemini\` in ${root}, open \`/permissions\`, and trust the directory. (--skip-trust runs no hooks.)`,
  }
}

/** The rule for the nearest directory decides. */
function findVerdict(rules: JsonObject, root: string): 'trusted' | 'distrusted' | undefined {
  const matching = Object.entries(rules)
    .map(([path, rule]) => ({ dir: rule === 'TRUST_PARENT' ? dirname(resolve(path)) : resolve(path), rule }))
    .filter(({ dir }) => root === dir || root.startsWith(dir.endsWith(sep) ? dir : dir + sep))
    .sort((a, b) => b.dir.length - a.dir.length)
  const rule = matching[0]?.rule
  if (rule === undefined) return undefined
  return rule === 'DO_NOT_TRUST' ? 'distrusted' : 'trusted'
}

/** The files may contain comments. */
function readSettings(path: string): JsonObject {
  return asObject(tooDeepIsInvalid(() => parse(readText(path) ?? ''))) ?? {}
}
