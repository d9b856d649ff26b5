// Runs a rule only where one of its keywords stands. Gives exactly what running every rule over the whole text would give.
import { findHits, findTokens, type KeywordHit } from './candidates.ts'
import { noRule } from './keyword.ts'
import { type Rule, type Span, secretSpan } from './rule.ts'
import { getRuleSet, type RuleSet } from './rule-set.ts'

export function findSecrets(text: string): Span[] {
  const ruleSet = getRuleSet()
  const tokens = findTokens(text)
  const hits = findHits(text, ruleSet)
  if (hits.length === 0) return tokens
  return [...tokens, ...matchHits(text, hits, ruleSet)]
}

function matchHits(text: string, hits: KeywordHit[], ruleSet: RuleSet): Span[] {
  const spans: Span[] = []
  const anonymous = new Set<string>()
  const doneUntil: number[] = []
  for (const { start, rule } of hits.sort((a, b) => a.start - b.start)) {
    // A match never starts inside the previous match of the same rule: that is how a search from left to right works.
    if (rule === noRule || start < (doneUntil[rule] ?? 0)) continue
    const regex = ruleSet.sticky(rule)
    regex.lastIndex = start
    const match = regex.exec(text)
    doneUntil[rule] = match === null ? start + 1 : start + match[0].length
    if (match !== null) note(text, ruleSet.rule(rule), match, spans, anonymous)
  }
  return [...spans, ...otherOccurrences(text, anonymous)]
}

export function note(text: string, rule: Rule, match: RegExpExecArray, spans: Span[], anonymous: Set<string>): void {
  const span = secretSpan(rule, match)
  if (span === undefined) return
  spans.push(span)
  if (rule.anonymous) anonymous.add(text.slice(span.start, span.end))
}

/** Shorter ones are too likely to be words. */
const shortestAnonymous = 8
/** Bounds the work on a text that consists of nothing but passwords. */
const mostAnonymous = 64

export function otherOccurrences(text: string, secrets: ReadonlySet<string>): Span[] {
  const spans: Span[] = []
  const worthwhile = [...secrets].filter((secret) => secret.length >= shortestAnonymous).sort()
  for (const secret of worthwhile.slice(0, mostAnonymous)) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
      spans.push({ start: at, end: at + secret.length })
    }
  }
  return spans
}
