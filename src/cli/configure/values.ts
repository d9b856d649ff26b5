// What the settings files say about a key, and which of them counts.
import type { SettingsFile } from '../../model/settings.ts'
import { describeCheckpointRemote, readCheckpointRemote } from '../../session/checkpoint-remote.ts'
import { readRawSettings } from '../../session/settings.ts'
import { asObject, type Json, type JsonObject } from '../../std/json.ts'
import { valueAt } from '../value-at.ts'
import { patternKey, patternPrefix, type SettingKey, settingKeys } from './keys.ts'

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
  return [...new Set([...Object.keys(raw.project), ...Object.keys(raw.local)])].filter((name) => !known.has(name))
}

function patternKeys(raw: RawSettings): SettingKey[] {
  const path = patternPrefix.split('.').slice(0, -1)
  const labels = [raw.project, raw.local].flatMap((settings) => Object.keys(asObject(valueAt(settings, path)) ?? {}))
  return [...new Set(labels)].filter((label) => /^[A-Za-z]\w*$/.test(label)).map(patternKey)
}

function remoteIn(settings: JsonObject, file: SettingsFile): string | undefined {
  const remote = readCheckpointRemote(asObject(settings.strategy_options) ?? {}, file)
  return remote && describeCheckpointRemote(remote)
}
