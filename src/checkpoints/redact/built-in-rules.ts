// All built-in rules, for the build and for tests; the program has them prepared (prepare-rules.ts).
import { assignmentRules } from './assignment-rules.ts'
import { connectionRules } from './connection-rules.ts'
import { generatedRules } from './generated-rules.ts'
import { privateKeyRule } from './private-key-rule.ts'
import { providerRules } from './provider-rules.ts'
import type { Rule } from './rule.ts'

export const builtInRules: readonly Rule[] = [...generatedRules, ...providerRules, ...connectionRules, ...assignmentRules, privateKeyRule]
