// The settings a person can change: one table for checking, listing, asking and completing.

import { defaultSettings, type SettingsFile, strategies } from '../../model/settings.ts'
import { describeCheckpointRemote, readCheckpointRemote, readRawSettings } from '../../settings/read.ts'
import { valueAt } from '../../settings/write.ts'
import { EntireError } from '../../std/errors.ts'
import { asObject, type Json, type JsonObject } from '../../std/json.ts'
import { logLevels } from '../../std/log.ts'
import { closest } from '../closest.ts'
import { clean } from '../render/text.ts'

export interface SettingKey {
  /** As in the file, joined by dots. */
  name: string
  path: string[]
  kind: 'choice' | 'boolean' | 'remote' | 'pattern' | 'text' | 'number'
  /** What it can be; empty for free text. */
  choices: readonly string[]
  /** What holds when nothing is set. */
  default: Json
  meaning: string
}

const booleans = ['true', 'false']
const redactionMeaning = 'The files add up: a local one can only redact more.'

function key(
  name: string,
  kind: SettingKey['kind'],
  fallback: Json,
  meaning: string,
  choices: readonly string[] = [],
): SettingKey {
  return {
    name,
    path: name.split('.'),
    kind,
    choices: kind === 'boolean' ? booleans : choices,
    default: fallback,
    meaning,
  }
}

export const settingKeys: SettingKey[] = [
  key('enabled', 'boolean', defaultSettings.enabled, 'Whether sessions are recorded'),
  key(
    'strategy',
    'choice',
    defaultSettings.strategy,
    'Who commits: you (manual-commit), or entire after each turn (auto-commit)',
    strategies,
  ),
  key(
    'commit_linking',
    'choice',
    defaultSettings.commitLinking,
    'Link commits to sessions at once, or ask at each `git commit -m`',
    ['always', 'prompt'],
  ),
  key(
    'strategy_options.push_sessions',
    'boolean',
    defaultSettings.pushSessions,
    'Push checkpoints along with `git push`',
  ),
  key(
    'strategy_options.checkpoint_remote',
    'remote',
    null,
    'Push them there instead: a git remote, a URL (local only), or github:owner/repo',
  ),
  key(
    'checkpoints.primary.type',
    'choice',
    defaultSettings.checkpointsBackend,
    'Checkpoints on one branch, or in a ref each',
    ['git-branch', 'git-refs'],
  ),
  key(
    'absolute_git_hook_path',
    'boolean',
    defaultSettings.absoluteHookPath,
    'Hooks call this program by its absolute path',
  ),
  key(
    'external_agents',
    'boolean',
    defaultSettings.externalAgents,
    'Whether plugins on the PATH (entire-agent-…) are asked for agents',
  ),
  key('log_level', 'choice', defaultSettings.logLevel, 'How much goes to .entire/logs/entire.log', logLevels),
  key(
    'summary_generation.provider',
    'text',
    null,
    'The agent that writes summaries; without it the one of the session',
  ),
  key('summary_generation.model', 'text', null, 'The model it uses, by the name the agent has for it'),
  key('summary_timeout_seconds', 'number', defaultSettings.summary.timeoutSeconds, 'How long it may take'),
  key('redaction.pii.enabled', 'boolean', false, `Also redact personal data. ${redactionMeaning}`),
  key('redaction.pii.email', 'boolean', true, 'With redaction.pii.enabled: email addresses'),
  key('redaction.pii.phone', 'boolean', true, 'With redaction.pii.enabled: phone numbers'),
]

/** Redaction rules of one's own have the label as the last part of their name. */
export const patternPrefix = 'redaction.pii.custom_patterns.'

export function patternKey(label: string): SettingKey {
  if (!/^[A-Za-z]\w*$/.test(label))
    throw new EntireError('bad-usage', `"${clean(label)}" is no label for a rule.`, {
      hint: 'Use letters, digits and underscores, for example TICKET.',
    })
  return {
    name: patternPrefix + label,
    path: [...patternPrefix.split('.').slice(0, -1), label],
    kind: 'pattern',
    choices: [],
    default: null,
    meaning: 'With redaction.pii.enabled: a regular expression for what is redacted as this label',
  }
}

/** By its name, or by the end of it where that is clear; dashes count as underscores. */
export function findKey(text: string): SettingKey {
  if (text.startsWith(patternPrefix)) return patternKey(text.slice(patternPrefix.length))
  const name = text.trim().replaceAll('-', '_').toLowerCase()
  const exact = settingKeys.find((known) => known.name === name)
  const bySuffix = settingKeys.filter((known) => known.name.endsWith(`.${name}`))
  const found = exact ?? (bySuffix.length === 1 ? bySuffix[0] : undefined)
  if (found !== undefined) return found
  const near = closest(
    name,
    settingKeys.flatMap((known) => [known.name, known.path.at(-1) as string]),
  )
  throw new EntireError('bad-usage', `Unknown setting "${clean(text)}".`, {
    hint:
      near[0] === undefined ? '`entire configure --list` shows what there is.' : `Did you mean ${near[0]}?`,
  })
}

const words: Record<string, boolean> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
}

/** The value as it goes into the file. Of a remote, the caller decides. */
export function parseValue({ name, kind, choices }: SettingKey, text: string): Json {
  const word = text.trim().toLowerCase()
  if (kind === 'boolean' && Object.hasOwn(words, word)) return words[word] as boolean
  if (kind === 'choice' && choices.includes(word)) return word
  if (kind === 'pattern' && isPattern(text)) return text
  if (kind === 'text' && word !== '') return text.trim()
  if (kind === 'number' && Number(word) > 0 && Number.isFinite(Number(word))) return Number(word)
  const near = closest(word, choices)[0]
  throw new EntireError('bad-usage', `"${clean(text)}" is no value for ${name}.`, {
    hint:
      wanted[kind] ??
      `Use one of: ${choices.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
  })
}

const wanted: Partial<Record<SettingKey['kind'], string>> = {
  pattern: 'Use a regular expression.',
  text: 'Use a text, or --unset.',
  number: 'Use a number above 0.',
}

function isPattern(text: string): boolean {
  try {
    return text !== '' && new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}

// What the settings files say about a key, and which of them counts.

export type RawSettings = Record<SettingsFile, JsonObject>

export interface SettingValue {
  key: SettingKey
  value: Json
  source: SettingsFile | 'default'
}

export function readRaw(root: string): RawSettings {
  return { project: readRawSettings(root, 'project'), local: readRawSettings(root, 'local') }
}

/** `only`: what one file says, whatever the other one does. */
export function settingValue(raw: RawSettings, key: SettingKey, only?: SettingsFile): SettingValue {
  const files = only === undefined ? (['local', 'project'] as const) : [only]
  for (const file of files) {
    const value = key.kind === 'remote' ? remoteIn(raw[file], file) : valueAt(raw[file], key.path)
    // Null and an empty text say nothing.
    if (value !== undefined && value !== null && value !== '') return { key, value, source: file }
  }
  return { key, value: key.default, source: 'default' }
}

export function listValues(raw: RawSettings, only?: SettingsFile): SettingValue[] {
  return [...settingKeys, ...patternKeys(raw)].map((key) => settingValue(raw, key, only))
}

/** Keys at the top of the files that this version does not use. */
export function foreignKeys(raw: RawSettings): string[] {
  const known = new Set(settingKeys.map((key) => key.path[0]))
  return [...new Set([...Object.keys(raw.project), ...Object.keys(raw.local)])].filter(
    (name) => !known.has(name),
  )
}

function patternKeys(raw: RawSettings): SettingKey[] {
  const path = patternPrefix.split('.').slice(0, -1)
  const labels = [raw.project, raw.local].flatMap((settings) =>
    Object.keys(asObject(valueAt(settings, path)) ?? {}),
  )
  return [...new Set(labels)].filter((label) => /^[A-Za-z]\w*$/.test(label)).map(patternKey)
}

function remoteIn(settings: JsonObject, file: SettingsFile): string | undefined {
  const remote = readCheckpointRemote(asObject(settings.strategy_options) ?? {}, file)
  return remote && describeCheckpointRemote(remote)
}
