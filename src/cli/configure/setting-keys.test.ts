import { expect, test } from 'bun:test'
import { defaultSettings } from '../../model/settings.ts'
import { readCheckpointRemote } from '../../settings/checkpoint-remote.ts'
import { settingsKeys } from '../../settings/read.ts'
import type { Json, JsonObject } from '../../std/json.ts'
import { findKey, parseValue, patternKey, settingKeys } from './setting-keys.ts'

const nested = (path: string[], value: Json) =>
  path.reduceRight<Json>((below, key) => ({ [key]: below }), value) as JsonObject

/** The settings when only this one is set. */
function effect(path: string[], value: Json, around: JsonObject = {}): unknown {
  const [name, block] = Object.entries(nested(path, value))[0] as [string, Json]
  const merged =
    path[0] === 'redaction' && path.length > 2
      ? { pii: { ...around, ...((block as JsonObject).pii as JsonObject) } }
      : block
  return settingsKeys[name]?.read(merged, defaultSettings, 'local')
}

test.each(settingKeys.filter((key) => key.choices.length > 0).map((key) => [key.name, key] as const))(
  '%s: each possible value has its own effect',
  (_name, key) => {
    const around: JsonObject = key.name === 'redaction.pii.enabled' ? {} : { enabled: true }
    const effects = key.choices.map((choice) =>
      JSON.stringify(effect(key.path, parseValue(key, choice), around)),
    )
    expect(effects).not.toContain(undefined as never)
    expect(new Set(effects).size).toBe(key.choices.length)
    expect(key.choices).toContain(String(key.default))
  },
)

test('the settings of summaries take effect', () => {
  expect(effect(['summary_generation', 'provider'], 'gemini')).toEqual({
    summary: { ...defaultSettings.summary, provider: 'gemini' },
  })
  expect(effect(['summary_timeout_seconds'], 90)).toEqual({ summary: { timeoutSeconds: 90 } })
})

test('every top-level key of the settings files can be changed', () => {
  expect(
    Object.keys(settingsKeys).filter((name) => !settingKeys.some(({ path }) => path[0] === name)),
  ).toEqual([])
})

test('a custom redaction rule and a checkpoint remote take effect', () => {
  const rule = patternKey('TICKET')
  expect(effect(rule.path, parseValue(rule, 'T-[0-9]+'), { enabled: true })).toMatchObject({
    redaction: { rules: [{ label: 'TICKET', regex: 'T-[0-9]+' }] },
  })
  expect(readCheckpointRemote({ checkpoint_push_remote: 'x' }, 'local')).toBeDefined()
})

test.each([
  ['strategy', 'strategy'],
  ['push_sessions', 'strategy_options.push_sessions'],
  ['push-sessions', 'strategy_options.push_sessions'],
  ['STRATEGY_OPTIONS.push_sessions', 'strategy_options.push_sessions'],
  ['enabled', 'enabled'],
  ['pii.enabled', 'redaction.pii.enabled'],
  ['external-agents', 'external_agents'],
  ['summary_generation.provider', 'summary_generation.provider'],
  ['redaction.pii.custom_patterns.Ticket', 'redaction.pii.custom_patterns.Ticket'],
])('%s means %s', (text, name) => expect(findKey(text).name).toBe(name))

test.each([
  ['strateg', 'Did you mean strategy?'],
  ['push_sesions', 'Did you mean push_sessions?'],
  ['log_levle', 'Did you mean log_level?'],
  ['something', '`entire configure --list` shows the settings.'],
  ['redaction.pii.custom_patterns.a b', 'Use letters, digits and underscores, for example TICKET.'],
  ['__proto__', '`entire configure --list` shows the settings.'],
])('an unknown name: %s', (text, hint) => {
  expect(() => findKey(text)).toThrow(expect.objectContaining({ code: 'bad-usage', hint }))
})

test.each([
  ['enabled', 'YES', true],
  ['enabled', 'off', false],
  ['strategy', 'Auto-Commit', 'auto-commit'],
  ['summary_generation.model', ' Haiku-4 ', 'Haiku-4'],
  ['summary_timeout_seconds', '90', 90],
] as const)('%s: %s is understood', (name, text, value) =>
  expect(parseValue(findKey(name), text)).toBe(value),
)

test.each([
  ['enabled', 'maybe', 'Use one of: true, false.'],
  ['enabled', 'constructor', 'Use one of: true, false.'],
  ['strategy', 'auto-comit', 'Use one of: manual-commit, auto-commit. Did you mean auto-commit?'],
  ['summary_timeout_seconds', '-1', 'Use a number greater than 0.'],
  ['summary_timeout_seconds', 'soon', 'Use a number greater than 0.'],
  ['summary_generation.provider', ' ', 'Use a text that is not empty, or --unset.'],
  ['redaction.pii.custom_patterns.X', '(', 'Use a regular expression.'],
])('%s: %s is refused', (name, text, hint) => {
  expect(() => parseValue(findKey(name), text)).toThrow(expect.objectContaining({ code: 'bad-usage', hint }))
})
