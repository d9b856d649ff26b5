// Settings on disk: the project's file is committed, the local one is the user's own and wins key by key.

import { join } from 'node:path'
import {
  type CheckpointRemote,
  defaultSettings,
  type Provider,
  providerHosts,
  type RedactionRule,
  type Settings,
  type SettingsFile,
  strategies,
} from '../model/settings.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import { exists, readText, writeAtomic } from '../std/file.ts'
import { given } from '../std/given.ts'
import { asArray, asObject, asString, type Json, type JsonObject, parseJson } from '../std/json.ts'
import { parseLogLevel } from '../std/log.ts'

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
      throw new EntireError(
        'bad-settings',
        `${settingsPaths[file]}: "${key}" has a value that is not understood.`,
        {
          hint: known.expected,
        },
      )
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

// Where checkpoints go when they are not to go where the user pushes. Sessions are private: whatever is unclear stays on this machine.

/** From `strategy_options`; undefined when nothing is said about it. */
export function readCheckpointRemote(options: JsonObject, file: SettingsFile): CheckpointRemote | undefined {
  const { checkpoint_remote: dedicated, checkpoint_push_remote: named } = options
  if (dedicated !== undefined && dedicated !== null) return readDedicated(dedicated, file)
  if (named === undefined || named === null || named === '') return undefined
  const name = asString(named) ?? ''
  return isRemoteName(name)
    ? { kind: 'remote', name }
    : refuse('checkpoint_push_remote is not the name of a remote')
}

function readDedicated(value: Json, file: SettingsFile): CheckpointRemote {
  const block = asObject(value)
  const [provider, repo, url] = [asString(block?.provider), asString(block?.repo), asString(block?.url)]
  if (url !== undefined) {
    // Whoever writes the project's file must not decide where the sessions of everybody else go.
    if (file === 'project')
      return refuse('a URL as checkpoint_remote counts only in .entire/settings.local.json')
    return isRemoteUrl(url) ? { kind: 'url', url } : refuse('the URL of checkpoint_remote is not understood')
  }
  if (provider === undefined || !isProvider(provider) || repo === undefined || !isRepoName(repo))
    return refuse('checkpoint_remote is not understood')
  return { kind: 'hosted', provider, repo }
}

/** As typed by a person: `github:owner/repo`, a URL, or the name of a remote. Undefined when it can be none of them. */
export function parseCheckpointRemote(
  text: string,
): Exclude<CheckpointRemote, { kind: 'refused' }> | undefined {
  const [, provider = '', repo = ''] = /^([a-z]+):([^:]+)$/.exec(text) ?? []
  if (isProvider(provider) && isRepoName(repo)) return { kind: 'hosted', provider, repo }
  if (isRemoteUrl(text)) return { kind: 'url', url: text }
  return isRemoteName(text) ? { kind: 'remote', name: text } : undefined
}

/** What to write below `strategy_options`; undefined takes out what said something else before. */
export function formatCheckpointRemote(remote: Exclude<CheckpointRemote, { kind: 'refused' }>) {
  if (remote.kind === 'remote') return { checkpoint_remote: undefined, checkpoint_push_remote: remote.name }
  const { provider, repo, url } = { provider: undefined, repo: undefined, url: undefined, ...remote }
  return { checkpoint_remote: { provider, repo, url }, checkpoint_push_remote: undefined }
}

/** For people: without the password a URL may hold. */
export function describeCheckpointRemote(remote: CheckpointRemote): string {
  if (remote.kind === 'hosted') return `${remote.provider}:${remote.repo}`
  if (remote.kind === 'remote') return remote.name
  return remote.kind === 'url' ? remote.url.replace(/^(https?:\/\/)[^/@]*@/, '$1') : `(${remote.why})`
}

function refuse(why: string): CheckpointRemote {
  return { kind: 'refused', why }
}

function isProvider(name: string): name is Provider {
  return Object.hasOwn(providerHosts, name)
}

function isRepoName(name: string): boolean {
  return /^(?![-.])[\w.-]+(?:\/(?![-.])[\w.-]+)+$/.test(name)
}

// Git takes a word that begins with a dash for an option, and runs programs for some other kinds of URL.
function isRemoteUrl(url: string): boolean {
  return (
    /^(?:https?:\/\/|ssh:\/\/|file:\/\/\/)[^-\s][^\s]*$/.test(url) ||
    /^[\w.][\w.-]*@[\w][\w.-]*:[^-\s]\S*$/.test(url)
  )
}

function isRemoteName(name: string): boolean {
  return /^(?![-.])[\w./-]+$/.test(name) && !name.includes('..') && !name.startsWith('/')
}

// What each key of a settings file means, and what to write where it is not understood.

/** Undefined: the value is not understood. */
type Reader = (value: Json, before: Settings, file: SettingsFile) => Partial<Settings> | undefined

interface SettingsKey {
  read: Reader
  /** What to do about a value that is not understood. */
  expected: string
}

const flag = (set: (on: boolean) => Partial<Settings>): SettingsKey => ({
  read: (value) => (typeof value === 'boolean' ? set(value) : undefined),
  expected: 'Use true or false.',
})

/** By the name in the file. Keys of other versions are not here: they are theirs. */
export const settingsKeys: Record<string, SettingsKey> = {
  enabled: flag((enabled) => ({ enabled })),
  external_agents: flag((externalAgents) => ({ externalAgents })),
  absolute_git_hook_path: flag((absoluteHookPath) => ({ absoluteHookPath })),
  strategy: {
    read: (value) => {
      const strategy = strategies.find((name) => name === value)
      return value === '' ? {} : strategy && { strategy }
    },
    expected: `Use one of: ${strategies.join(', ')}.`,
  },
  log_level: {
    read: (value) => {
      const logLevel = parseLogLevel(asString(value))
      return value === '' ? {} : logLevel && { logLevel }
    },
    expected: 'Use one of: debug, info, warn, error.',
  },
  commit_linking: {
    read: (value) => (value === 'always' || value === 'prompt' ? { commitLinking: value } : undefined),
    expected: 'Use "always" or "prompt".',
  },
  strategy_options: {
    read: (value, _before, file) => {
      const options = asObject(value)
      const checkpointRemote = options && readCheckpointRemote(options, file)
      return (
        options && {
          ...(options.push_sessions === undefined ? {} : { pushSessions: options.push_sessions !== false }),
          ...given({ checkpointRemote }),
        }
      )
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
  summary_generation: {
    read: (value, before) => {
      const [provider, model] = [asString(asObject(value)?.provider), asString(asObject(value)?.model)]
      return (
        asObject(value) && {
          summary: { ...before.summary, ...(provider ? { provider } : {}), ...(model ? { model } : {}) },
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
