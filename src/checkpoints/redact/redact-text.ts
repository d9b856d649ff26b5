// Replaces every secret in a piece of plain text.
import { findSecrets } from './find-secrets.ts'
import { findPatterns } from './pattern.ts'
import type { Redactor } from './redactor.ts'
import { applyRegions, placeholder } from './regions.ts'
import type { Span } from './rule.ts'

/**
 * Repeats until nothing is found: a placeholder changes the surroundings of what is left, and redacting twice must
 * give the same as redacting once. It ends because every round leaves fewer characters outside of placeholders.
 */
export function redactText(text: string, redactor: Redactor, find: (text: string) => Span[] = findSecrets): string {
  for (let before = text; ; ) {
    const secrets = find(before).map((span) => ({ ...span, replacement: placeholder }))
    const after = applyRegions(before, [...secrets, ...findPatterns(before, redactor.patterns)])
    if (after === before) return after
    before = after
  }
}
