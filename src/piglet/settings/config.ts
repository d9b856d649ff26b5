// Reads and changes the user's `config.yaml`. The file is read each time, so that changes take effect at
// once.

import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse, parseDocument } from 'yaml'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { exists, readText, writeAtomic } from '../../std/file.ts'
import { asNumber, asObject, asString, asStrings } from '../../std/json.ts'

export interface PigletConfig {
  /** By its dotted name; undefined when it is not set. */
  get(key: string): unknown
  text(key: string): string
  texts(key: string): string[]
  flag(key: string): boolean
  /** `otherwise` for a setting that is missing or not a number. */
  number(key: string, otherwise: number): number
}

const configPath = (configDir: string) => join(configDir, 'config.yaml')

export function readPigletConfig(configDir: string): PigletConfig {
  const path = configPath(configDir)
  const text = readText(path) ?? ''
  try {
    return configOf(parse(text))
  } catch (error) {
    throw new EntireError('bad-settings', `${path}: ${messageOf(error)}`)
  }
}

function configOf(settings: unknown): PigletConfig {
  const get = (key: string) => findSetting(settings, key)
  return {
    get,
    text: (key) => asString(get(key)) ?? '',
    texts: (key) => asStrings(get(key)),
    flag: (key) => get(key) === true,
    number: (key, otherwise) => asNumber(get(key)) ?? otherwise,
  }
}

// A dotted name may also be written as one key.
function findSetting(settings: unknown, key: string): unknown {
  const fields = asObject(settings)
  if (!fields) return undefined
  if (Object.hasOwn(fields, key)) return fields[key]
  const dot = key.indexOf('.')
  const head = dot < 0 ? '' : key.slice(0, dot)
  return Object.hasOwn(fields, head) ? findSetting(fields[head], key.slice(dot + 1)) : undefined
}

/** Everything else in the file stays, comments included. */
export function writeSetting(configDir: string, key: string, value: unknown): void {
  const path = configPath(configDir)
  const document = parseDocument(readText(path) ?? '')
  const [error] = document.errors
  if (error)
    throw new EntireError('bad-settings', `${path}: ${error.message}`, {
      hint: 'Correct the file, then try again.',
    })
  document.setIn(key.split('.'), value)
  writeAtomic(path, document.toString(), { mode: 0o600 })
}

/** The settings text that older extensions ask the host for. */
export function readExtensionText(configDir: string, name: string): string {
  if (/[/\\]/.test(name) || name === '.' || name === '..')
    throw new RpcFailure(rpcErrorCodes.failed, `${name} is not the name of an extension`)
  const path = join(configDir, 'extensions', name, `${name}.md`)
  const older = join(configDir, `${name}.md`)
  if (!exists(path) && exists(older)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o750 })
    copyFileSync(older, path)
  }
  return (readText(path) ?? '').trim()
}
