// Settings for people and for programs.
import { settingsPaths } from '../../session/settings.ts'
import type { Json, JsonObject } from '../../std/json.ts'
import { tableLines } from '../render/table.ts'
import { clean } from '../render/text.ts'
import type { SettingValue } from './values.ts'

export function formatValue(value: Json): string {
  if (value === null) return '(none)'
  return clean(typeof value === 'string' ? value : JSON.stringify(value))
}

export function valueJson({ key, value, source }: SettingValue): JsonObject {
  return {
    key: key.name,
    value,
    source,
    default: key.default,
    ...(key.choices.length > 0 ? { choices: [...key.choices] } : {}),
    meaning: key.meaning,
  }
}

export function valueLines(values: SettingValue[], width: number): string[] {
  const rows = values.map(({ key, value, source }) => [
    key.name,
    formatValue(value),
    source === 'default' ? 'default' : settingsPaths[source].replace('.entire/', ''),
    key.meaning,
  ])
  return tableLines([['KEY', 'VALUE', 'FROM', 'MEANING'], ...rows], { width })
}
