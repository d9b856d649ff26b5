// Reads the settings: the project's file is committed, the local one is the user's own and wins key by key.

import { join } from 'node:path'
import {
  defaultSettings,
  megabyte,
  type RedactionRule,
  type Settings,
  type SettingsFile,
  strategies,
} from '../model/settings.ts'
import { EntireError, invalidValue, useOneOf } from '../std/errors.ts'
import { exists, readText } from '../std/file.ts'
import { given } from '../std/given.ts'
import { pathInside } from '../std/inside.ts'
import { asArray, asObject, asString, type Json, type JsonObject, parseJson } from '../std/json.ts'
import { logLevels, parseLogLevel } from '../std/log.ts'
import { readCheckpointRemote } from './checkpoint-remote.ts'

export const settingsPaths: Record<SettingsFile, string> = {
  project: '.entire/settings.json',
  local: '.entire/settings.local.json',
}

export function isSetUp(root: string): boolean {
  return settingsFiles(root).length > 0
}

/** The settings files that exist. */
export function settingsFiles(root: string): SettingsFile[] {
  return (['project', 'local'] as const).filter((file) => exists(join(root, settingsPaths[file])))
}

/** Throws `bad-settings` when a file is invalid. */
export function readSettings(root: string): Settings {
  const { settings, problem } = readUsableSettings(root)
  if (problem !== undefined) throw problem
  return settings
}

export interface UsableSettings {
  settings: Settings
  /** The first invalid value, or file. */
  problem?: EntireError
}

/**
 * Invalid settings stop neither the agent nor a person who wants to go back: the default takes the place of an
 * invalid value, and nothing is read from an invalid file. Checkpoints are not pushed, because the settings may
 * restrict where they go.
 */
export function readUsableSettings(root: string): UsableSettings {
  const problems: EntireError[] = []
  const report = (problem: EntireError) => problems.push(problem)
  const settings = applyFile(root, 'local', applyFile(root, 'project', defaultSettings, report), report)
  const [problem] = problems
  return problem === undefined ? { settings } : { settings: { ...settings, pushSessions: false }, problem }
}

/** Where a settings file is. Throws when a part of the path is a link, which could lead anywhere. */
export function settingsPath(root: string, file: SettingsFile): string {
  return pathInside(root, settingsPaths[file])
}

/** The settings of one file over the defaults, which also take the place of what is invalid. */
export function readSettingsFile(root: string, file: SettingsFile): Settings {
  return applyFile(root, file, defaultSettings, () => {})
}

/** The content of one file, valid or not; empty when it does not exist. */
export function readRawSettings(root: string, file: SettingsFile): JsonObject {
  const text = readText(settingsPath(root, file))?.replace(/^\uFEFF/, '')
  if (text === undefined || text.trim() === '') return {}
  const value = asObject(parseJson(text) ?? parseCommented(text))
  if (value !== undefined) return value
  throw new EntireError('bad-settings', `${settingsPaths[file]} is not a JSON object.`, {
    hint: 'Repair the file, or remove it and run `entire enable`.',
  })
}

function applyFile(
  root: string,
  file: SettingsFile,
  before: Settings,
  report: (problem: EntireError) => void,
): Settings {
  let settings = before
  for (const [key, value] of Object.entries(readRawOrReport(root, file, report))) {
    const known = Object.hasOwn(settingsKeys, key) ? settingsKeys[key] : undefined
    // Keys of other versions are ignored, and so is null.
    if (known === undefined || value === null) continue
    const change = known.read(value, settings, file)
    if (change === undefined)
      report(
        invalidValue(
          shorten(typeof value === 'string' ? value : JSON.stringify(value)),
          `${key} in ${settingsPaths[file]}`,
          known.expected,
          'bad-settings',
        ),
      )
    else settings = { ...settings, ...change }
  }
  return settings
}

function readRawOrReport(
  root: string,
  file: SettingsFile,
  report: (problem: EntireError) => void,
): JsonObject {
  try {
    return readRawSettings(root, file)
  } catch (error) {
    if (!(error instanceof EntireError)) throw error
    report(error)
    return {}
  }
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

// Users put comments into settings, and a comma after the last value.
function parseCommented(text: string): Json | undefined {
  try {
    return Bun.JSONC.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Undefined when the value is invalid. */
type Reader = (value: Json, before: Settings, file: SettingsFile) => Partial<Settings> | undefined

interface SettingsKey {
  read: Reader
  /** The hint for an invalid value. */
  expected: string
}

const flag = (set: (on: boolean) => Partial<Settings>): SettingsKey => ({
  read: (value) => (typeof value === 'boolean' ? set(value) : undefined),
  expected: 'Use true or false.',
})

/** How each key of a settings file is read. Keys of other versions are not listed. */
export const settingsKeys: Record<string, SettingsKey> = {
  enabled: flag((enabled) => ({ enabled })),
  external_agents: flag((externalAgents) => ({ externalAgents })),
  absolute_git_hook_path: flag((absoluteHookPath) => ({ absoluteHookPath })),
  strategy: {
    read: (value) => {
      const strategy = strategies.find((name) => name === value)
      return value === '' ? {} : strategy && { strategy }
    },
    expected: useOneOf(strategies),
  },
  log_level: {
    read: (value) => {
      const logLevel = parseLogLevel(asString(value))
      return value === '' ? {} : logLevel && { logLevel }
    },
    expected: useOneOf(logLevels),
  },
  commit_linking: {
    read: (value) => (value === 'always' || value === 'prompt' ? { commitLinking: value } : undefined),
    expected: useOneOf(['always', 'prompt']),
  },
  strategy_options: {
    read: (value, _before, file) => {
      const options = asObject(value)
      if (options === undefined) return undefined
      const pushSessions = options.push_sessions === undefined ? undefined : options.push_sessions !== false
      return given({ pushSessions, checkpointRemote: readCheckpointRemote(options, file) })
    },
    expected: 'Use an object, for example {"push_sessions": false}.',
  },
  checkpoints: {
    read: (value) => {
      const type = asObject(asObject(value)?.primary)?.type ?? 'git-branch'
      return type === 'git-branch' || type === 'git-refs' ? { checkpointsBackend: type } : undefined
    },
    expected: 'Use {"primary": {"type": "git-branch"}} or {"primary": {"type": "git-refs"}}.',
  },
  redaction: {
    read: (value, before) => {
      const redaction = asObject(value)
      return redaction && { redaction: readRedaction(redaction, before.redaction) }
    },
    expected: 'Use an object, for example {"pii": {"enabled": true}}.',
  },
  max_untracked_mb: {
    read: (value, before, file) => {
      if (typeof value !== 'number' || !(value > 0)) return undefined
      const bytes = Math.floor(value * megabyte)
      // A project may fill less of other people's disks, not more.
      return { maxUntrackedBytes: file === 'project' ? Math.min(bytes, before.maxUntrackedBytes) : bytes }
    },
    expected: 'Use a number of megabytes.',
  },
  summary_generation: {
    read: (value, before) => {
      const [provider, model] = [asString(asObject(value)?.provider), asString(asObject(value)?.model)]
      return (
        asObject(value) && {
          summary: {
            ...before.summary,
            ...given({ provider: provider || undefined, model: model || undefined }),
          },
        }
      )
    },
    expected: 'Use an object, for example {"provider": "claude-code", "model": "haiku"}.',
  },
  summary_timeout_seconds: {
    read: (value, before) =>
      typeof value === 'number' && value > 0
        ? { summary: { ...before.summary, timeoutSeconds: value } }
        : undefined,
    expected: 'Use a number of seconds.',
  },
}

// Rules add up: a local file may redact more than the project's, never less.
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
