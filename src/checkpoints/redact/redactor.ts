// What the settings add to the built-in rules, checked and compiled once per process.
import type { Settings } from '../../model/settings.ts'
import type { Pattern } from './pattern.ts'
import { email, phone } from './personal-data.ts'
import { parseUserRule } from './user-rule.ts'

export interface Redactor {
  patterns: readonly Pattern[]
}

export function createRedactor(settings: Settings['redaction']): Redactor {
  const personal = [...(settings.emails ? [email] : []), ...(settings.phones ? [phone] : [])]
  return { patterns: [...personal, ...settings.rules.map(parseUserRule)] }
}
