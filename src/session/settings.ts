// Settings on disk: the project's file is committed, the local one is the user's own and wins key by key.
import { join } from 'node:path'
import { defaultSettings, type Settings, type SettingsFile } from '../model/settings.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import { exists, readText, writeAtomic } from '../std/file.ts'
import { asObject, type Json, type JsonObject, parseJson } from '../std/json.ts'
import { settingsKeys } from './settings-readers.ts'

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

export interface HookSettings {
  settings: Settings
  problem?: string
}

/**
 * Settings nobody can read must not stop the agent: recording goes on with the defaults. They may have said where checkpoints must
 * not go, so these stay here.
 */
export function readHookSettings(root: string): HookSettings {
  try {
    return { settings: readSettings(root) }
  } catch (error) {
    return { settings: { ...defaultSettings, pushSessions: false }, problem: messageOf(error) }
  }
}

/** One file alone, over the defaults. */
export function readSettingsFile(root: string, file: SettingsFile): Settings {
  return applyFile(root, file, defaultSettings)
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

/** What one file says, understood or not; a missing one says nothing. */
export function readRawSettings(root: string, file: SettingsFile): JsonObject {
  const text = readText(join(root, settingsPaths[file]))?.replace(/^\uFEFF/, '')
  if (text === undefined || text.trim() === '') return {}
  const value = asObject(parseJson(text) ?? parseCommented(text))
  if (value !== undefined) return value
  throw new EntireError('bad-settings', `${settingsPaths[file]} is not a JSON object.`, {
    hint: 'Repair the file, or remove it and run `entire enable`.',
  })
}

function applyFile(root: string, file: SettingsFile, before: Settings): Settings {
  let settings = before
  for (const [key, value] of Object.entries(readRawSettings(root, file))) {
    const known = Object.hasOwn(settingsKeys, key) ? settingsKeys[key] : undefined
    // Keys of other versions are theirs; null says nothing.
    if (known === undefined || value === null) continue
    const change = known.read(value, settings, file)
    if (change === undefined)
      throw new EntireError('bad-settings', `${settingsPaths[file]}: "${key}" has a value that is not understood.`, {
        hint: known.expected,
      })
    settings = { ...settings, ...change }
  }
  return settings
}

// People put comments into settings, and a comma after the last one.
function parseCommented(text: string): Json | undefined {
  try {
    return Bun.JSONC.parse(text) as Json
  } catch {
    return undefined
  }
}
