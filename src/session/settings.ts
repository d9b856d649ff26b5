// Settings on disk: the project's file is committed, the local one is the user's own and wins key by key.
import { join } from 'node:path'
import { defaultSettings, type RedactionRule, type Settings, strategies } from '../model/settings.ts'
import { EntireError } from '../std/errors.ts'
import { exists, readText, writeAtomic } from '../std/file.ts'
import { asArray, asObject, asString, formatJson, type Json, type JsonObject, parseJson } from '../std/json.ts'
import { parseLogLevel } from '../std/log.ts'

export type SettingsFile = 'project' | 'local'

export const settingsPaths: Record<SettingsFile, string> = {
  project: '.entire/settings.json',
  local: '.entire/settings.local.json',
}

const ignored = ['tmp/', 'settings.local.json', 'metadata/', 'logs/']

export function isSetUp(root: string): boolean {
  return settingsFiles(root).length > 0
}

/** The files that are there. */
export function settingsFiles(root: string): SettingsFile[] {
  return (['project', 'local'] as const).filter((file) => exists(join(root, settingsPaths[file])))
}

/** Throws `bad-settings` when a file cannot be understood; hooks then go on with the defaults. */
export function readSettings(root: string): Settings {
  return applyFile(root, 'local', applyFile(root, 'project', defaultSettings))
}

/** One file alone, over the defaults. */
export function readSettingsFile(root: string, file: SettingsFile): Settings {
  return applyFile(root, file, defaultSettings)
}

/** Changes only the given keys; everything else in the file stays, in its order. */
export function writeSetting(root: string, file: SettingsFile, changes: JsonObject): void {
  const path = join(root, settingsPaths[file])
  writeAtomic(path, formatJson(merge(readRaw(root, file), changes)), { mode: 0o644 })
}

/** The directory and its `.gitignore`; lines the user added stay. */
export function ensureEntireDir(root: string): void {
  const path = join(root, '.entire', '.gitignore')
  const text = readText(path) ?? ''
  const lines = new Set(text.split('\n').map((line) => line.trim().replace(/^\//, '')))
  const missing = ignored.filter((entry) => !lines.has(entry))
  if (missing.length === 0) return
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  writeAtomic(path, `${text}${separator}${missing.join('\n')}\n`, { mode: 0o644 })
}

function readRaw(root: string, file: SettingsFile): JsonObject {
  const text = readText(join(root, settingsPaths[file]))
  if (text === undefined || text.trim() === '') return {}
  const value = asObject(parseJson(text))
  if (value !== undefined) return value
  throw new EntireError('bad-settings', `${settingsPaths[file]} is not a JSON object.`, {
    hint: 'Repair the file, or remove it and run `entire enable`.',
  })
}

function applyFile(root: string, file: SettingsFile, before: Settings): Settings {
  let settings = before
  for (const [key, value] of Object.entries(readRaw(root, file))) {
    const read = readers[key]
    // Keys of other versions are theirs; null says nothing.
    if (read === undefined || value === null) continue
    const change = read(value, settings)
    if (change === undefined) {
      throw new EntireError('bad-settings', `${settingsPaths[file]}: "${key}" has a value that is not understood.`, {
        hint: expectations[key] ?? 'See the reference of settings.',
      })
    }
    settings = { ...settings, ...change }
  }
  return settings
}

type Reader = (value: Json, before: Settings) => Partial<Settings> | undefined

const flag =
  (set: (on: boolean) => Partial<Settings>): Reader =>
  (value) =>
    typeof value === 'boolean' ? set(value) : undefined

const readers: Record<string, Reader> = {
  enabled: flag((enabled) => ({ enabled })),
  external_agents: flag((externalAgents) => ({ externalAgents })),
  absolute_git_hook_path: flag((absoluteHookPath) => ({ absoluteHookPath })),
  strategy: (value) => {
    const strategy = strategies.find((name) => name === value)
    return value === '' ? {} : strategy && { strategy }
  },
  log_level: (value) => {
    const logLevel = parseLogLevel(asString(value))
    return value === '' ? {} : logLevel && { logLevel }
  },
  commit_linking: (value) => (value === 'always' || value === 'prompt' ? { commitLinking: value } : undefined),
  strategy_options: (value) => {
    const options = asObject(value)
    if (options?.push_sessions === undefined) return options && {}
    return { pushSessions: options.push_sessions !== false }
  },
  checkpoints: (value) => {
    const type = asObject(asObject(value)?.primary)?.type ?? 'git-branch'
    return type === 'git-branch' || type === 'git-refs' ? { checkpointsBackend: type } : undefined
  },
  redaction: (value, before) => {
    const redaction = asObject(value)
    return redaction && { redaction: readRedaction(redaction, before.redaction) }
  },
}

const expectations: Record<string, string> = {
  enabled: 'Use true or false.',
  external_agents: 'Use true or false.',
  absolute_git_hook_path: 'Use true or false.',
  strategy: `Use one of: ${strategies.join(', ')}.`,
  log_level: 'Use one of: debug, info, warn, error.',
  commit_linking: 'Use "always" or "prompt".',
  strategy_options: 'Use an object, for example {"push_sessions": false}.',
  checkpoints: 'Use {"primary": {"type": "git-branch"}} or {"primary": {"type": "git-refs"}}.',
  redaction: 'Use an object, for example {"pii": {"enabled": true}}.',
}

// Rules add up: a local file may redact more than the project asks for, never less.
function readRedaction(value: JsonObject, before: Settings['redaction']): Settings['redaction'] {
  const pii = asObject(value.pii)
  const on = pii?.enabled === true
  const patterns = on ? Object.entries(asObject(pii.custom_patterns) ?? {}) : []
  const custom = patterns.flatMap(([label, regex]) => readRule({ label, regex }))
  return {
    emails: before.emails || (on && pii.email !== false),
    phones: before.phones || (on && pii.phone !== false),
    rules: [...before.rules, ...custom, ...asArray(value.rules).flatMap(readRule)],
  }
}

function readRule(value: Json): RedactionRule[] {
  const rule = asObject(value)
  const [label, regex] = [asString(rule?.label), asString(rule?.regex)]
  return label === undefined || regex === undefined ? [] : [{ label, regex }]
}

function merge(into: JsonObject, changes: JsonObject): JsonObject {
  const merged = { ...into }
  for (const [key, value] of Object.entries(changes)) {
    const [old, update] = [asObject(merged[key]), asObject(value)]
    merged[key] = old !== undefined && update !== undefined ? merge(old, update) : value
  }
  return merged
}
