// Defines the settings a person can change, in one table for checking, listing, asking and completing.

import { defaultSettings, megabyte, type SettingsFile, strategies } from '../../model/settings.ts'
import { describeCheckpointRemote, readCheckpointRemote } from '../../settings/checkpoint-remote.ts'
import { readRawSettings } from '../../settings/read.ts'
import { valueAt } from '../../settings/write.ts'
import { didYouMean, invalidValue, unknownName, useOneOf } from '../../std/errors.ts'
import { asObject, type Json, type JsonObject } from '../../std/json.ts'
import { logLevels } from '../../std/log.ts'
import { closest } from '../closest.ts'
import { clean } from '../render/text.ts'

export interface SettingKey {
  /** The path in the file, joined by dots. */
  name: string
  path: string[]
  kind: 'choice' | 'boolean' | 'remote' | 'pattern' | 'text' | 'number'
  /** The possible values; empty for free text. */
  choices: readonly string[]
  /** The value when nothing is set. */
  default: Json
  meaning: string
}

type KeyRow = Omit<SettingKey, 'name' | 'path' | 'choices'> & { choices?: readonly string[] }

const table: Record<string, KeyRow> = {
  enabled: {
    kind: 'boolean',
    default: defaultSettings.enabled,
    meaning: 'Whether sessions are recorded',
  },
  strategy: {
    kind: 'choice',
    choices: strategies,
    default: defaultSettings.strategy,
    meaning: 'Who commits: you (manual-commit), or entire after each turn (auto-commit)',
  },
  commit_linking: {
    kind: 'choice',
    choices: ['always', 'prompt'],
    default: defaultSettings.commitLinking,
    meaning: 'Whether to link commits to sessions at once, or to ask at each `git commit -m`',
  },
  'strategy_options.push_sessions': {
    kind: 'boolean',
    default: defaultSettings.pushSessions,
    meaning: 'Whether `git push` also pushes checkpoints',
  },
  'strategy_options.checkpoint_remote': {
    kind: 'remote',
    default: null,
    meaning: 'Where to push checkpoints instead: a git remote, a URL (local file only), or github:owner/repo',
  },
  'checkpoints.primary.type': {
    kind: 'choice',
    choices: ['git-branch', 'git-refs'],
    default: defaultSettings.checkpointsBackend,
    meaning: 'Whether checkpoints are stored on one branch, or in one ref each',
  },
  absolute_git_hook_path: {
    kind: 'boolean',
    default: defaultSettings.absoluteHookPath,
    meaning: 'Whether hooks call this program by its absolute path',
  },
  external_agents: {
    kind: 'boolean',
    default: defaultSettings.externalAgents,
    meaning: 'Whether plugins on the PATH (entire-agent-…) can add agents',
  },
  max_untracked_mb: {
    kind: 'number',
    default: defaultSettings.maxUntrackedBytes / megabyte,
    meaning: 'How many megabytes of untracked files a step holds. The project can only lower it',
  },
  log_level: {
    kind: 'choice',
    choices: logLevels,
    default: defaultSettings.logLevel,
    meaning: 'How much is written to .git/entire-logs/entire.log',
  },
  'summary_generation.provider': {
    kind: 'text',
    default: null,
    meaning: 'The agent that writes summaries; if not set, the agent of the session',
  },
  'summary_generation.model': {
    kind: 'text',
    default: null,
    meaning: 'The model for summaries, by its name in the agent',
  },
  summary_timeout_seconds: {
    kind: 'number',
    default: defaultSettings.summary.timeoutSeconds,
    meaning: 'How long writing a summary may take',
  },
  'redaction.pii.enabled': {
    kind: 'boolean',
    default: false,
    meaning: 'Whether to redact personal data, too. The local file can only redact more than the project',
  },
  'redaction.pii.email': {
    kind: 'boolean',
    default: true,
    meaning: 'With redaction.pii.enabled: email addresses',
  },
  'redaction.pii.phone': {
    kind: 'boolean',
    default: true,
    meaning: 'With redaction.pii.enabled: phone numbers',
  },
}

export const settingKeys: SettingKey[] = Object.entries(table).map(([name, row]) => ({
  ...row,
  name,
  path: name.split('.'),
  choices: row.kind === 'boolean' ? ['true', 'false'] : (row.choices ?? []),
}))

/** The name of a custom redaction rule ends with its label. */
export const patternPrefix = 'redaction.pii.custom_patterns.'
export const patternMeaning =
  'With redaction.pii.enabled: a regular expression for text that is replaced by the label'

export function patternKey(label: string): SettingKey {
  if (!labelPattern.test(label))
    throw invalidValue(
      clean(label),
      'the label of a redaction rule',
      'Use letters, digits and underscores, for example TICKET.',
    )
  return {
    name: patternPrefix + label,
    path: [...patternPrefix.split('.').slice(0, -1), label],
    kind: 'pattern',
    choices: [],
    default: null,
    meaning: patternMeaning,
  }
}

const labelPattern = /^[A-Za-z]\w*$/

/** Accepts the name, or its end if only one setting has it. Dashes count as underscores. */
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
  const hint =
    near.length > 0 ? didYouMean(near.slice(0, 1)) : '`entire configure --list` shows the settings.'
  throw unknownName('setting', clean(text), hint)
}

const booleanWords: Record<string, boolean> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
}

/** The value as it is written to the file. The caller handles remotes. */
export function parseValue({ name, kind, choices }: SettingKey, text: string): Json {
  const word = text.trim().toLowerCase()
  if (kind === 'boolean' && Object.hasOwn(booleanWords, word)) return booleanWords[word] as boolean
  if (kind === 'choice' && choices.includes(word)) return word
  if (kind === 'pattern' && isPattern(text)) return text
  if (kind === 'text' && word !== '') return text.trim()
  if (kind === 'number' && Number(word) > 0 && Number.isFinite(Number(word))) return Number(word)
  const near = closest(word, choices).slice(0, 1)
  throw invalidValue(clean(text), `setting ${name}`, kindHints[kind] ?? useOneOf(choices, near))
}

const kindHints: Partial<Record<SettingKey['kind'], string>> = {
  pattern: 'Use a regular expression.',
  text: 'Use a text that is not empty, or --unset.',
  number: 'Use a number greater than 0.',
}

function isPattern(text: string): boolean {
  try {
    return text !== '' && new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}

export type RawSettings = Record<SettingsFile, JsonObject>

export interface SettingValue {
  key: SettingKey
  value: Json
  source: SettingsFile | 'default'
}

export function readRaw(root: string): RawSettings {
  return { project: readRawSettings(root, 'project'), local: readRawSettings(root, 'local') }
}

/** `only`: the value in one file, whatever the other file says. */
export function settingValue(raw: RawSettings, key: SettingKey, only?: SettingsFile): SettingValue {
  const files = only === undefined ? (['local', 'project'] as const) : [only]
  for (const file of files) {
    const value = key.kind === 'remote' ? remoteIn(raw[file], file) : valueAt(raw[file], key.path)
    // Null and an empty text count as not set.
    if (value !== undefined && value !== null && value !== '') return { key, value, source: file }
  }
  return { key, value: key.default, source: 'default' }
}

export function listValues(raw: RawSettings, only?: SettingsFile): SettingValue[] {
  return [...settingKeys, ...patternKeys(raw)].map((key) => settingValue(raw, key, only))
}

/** The top-level keys in the files that this version does not use. */
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
  return [...new Set(labels)].filter((label) => labelPattern.test(label)).map(patternKey)
}

function remoteIn(settings: JsonObject, file: SettingsFile): string | undefined {
  const remote = readCheckpointRemote(asObject(settings.strategy_options) ?? {}, file)
  return remote && describeCheckpointRemote(remote)
}
