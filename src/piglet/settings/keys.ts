// Finds the keys of model providers: in the user's `auth.json`, where a key is given as it is, as a variable
// or as a command, or else in the environment.

import { join } from 'node:path'
import type { Environment } from '../../std/environment.ts'
import { EntireError } from '../../std/errors.ts'
import { findStat, readText } from '../../std/file.ts'
import { asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'
import { runLimited } from '../../std/limited-process.ts'

export type FindKey = (provider: string) => Promise<string>

const aliases: Record<string, string> = {
  gemini: 'google',
  vertex: 'google-vertex',
  bedrock: 'amazon-bedrock',
  copilot: 'github-copilot',
  azure: 'azure-openai',
}

/** The result is empty when there is no key. */
export function createFindKey(configDir: string, env: Environment): FindKey {
  const path = join(configDir, 'auth.json')
  return async (provider) => {
    const stored = readStored(path)
    for (const name of namesOf(provider)) {
      const value = asString(stored[name])
      const key = value ? await resolveKey(value, path, env) : ''
      if (key !== '') return key
    }
    return (
      namesOf(provider)
        .map(variableOf)
        .map((name) => env[name])
        .find(Boolean) ?? ''
    )
  }
}

function namesOf(provider: string): string[] {
  const name = provider.toLowerCase()
  const full = aliases[name] ?? name
  return [full, ...Object.keys(aliases).filter((alias) => aliases[alias] === full)]
}

function variableOf(provider: string): string {
  return `${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`
}

function readStored(path: string): JsonObject {
  const text = readText(path)
  if (text === undefined) return {}
  const stored = asObject(parseJson(text))
  if (stored)
    return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]))
  throw new EntireError('bad-settings', `${path} is not a JSON object.`)
}

async function resolveKey(value: string, path: string, env: Environment): Promise<string> {
  const variable = /^\$(?:\{(\w+)\}|(\w+))$/.exec(value)
  if (variable) return env[variable[1] ?? variable[2] ?? ''] ?? ''
  return value.startsWith('!') ? await askCommand(value.slice(1), path, env) : value
}

// With write access to this file, another user could run any command.
async function askCommand(command: string, path: string, env: Environment): Promise<string> {
  if (process.platform !== 'win32' && ((findStat(path)?.mode ?? 0o777) & 0o077) !== 0)
    throw new EntireError(
      'bad-settings',
      `${path} contains a command, which is not run, because other users can read or change the file.`,
      { hint: `Run \`chmod 600 ${path}\`.` },
    )
  const { code, stdout, stderr, timedOut, startError } = await runLimited(['sh', '-c', command], {
    cwd: process.cwd(),
    env,
    timeoutMs: 10_000,
    maxBytes: 64 * 1024,
  })
  if (code === 0) return stdout.toString('utf8').trim()
  const why = startError ?? (timedOut ? 'it took more than 10 s' : stderr.trim() || `exit code ${code}`)
  throw new EntireError('bad-settings', `The command for a key in ${path} failed: ${why}`)
}
