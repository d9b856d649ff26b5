// What each key of a settings file means, and what to write where it is not understood.
import { type RedactionRule, type Settings, type SettingsFile, strategies } from '../model/settings.ts'
import { asArray, asObject, asString, type Json, type JsonObject } from '../std/json.ts'
import { parseLogLevel } from '../std/log.ts'
import { readCheckpointRemote } from './checkpoint-remote.ts'

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
          ...(checkpointRemote === undefined ? {} : { checkpointRemote }),
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
      return asObject(value) && { summary: { ...before.summary, ...(provider ? { provider } : {}), ...(model ? { model } : {}) } }
    },
    expected: 'Use an object, for example {"provider": "claude-code", "model": "haiku"}.',
  },
  summary_timeout_seconds: {
    read: (value, before) =>
      typeof value === 'number' && value > 0 ? { summary: { ...before.summary, timeoutSeconds: value } } : undefined,
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
