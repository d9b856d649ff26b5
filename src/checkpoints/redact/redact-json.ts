// Redacts a JSON text value by value: keys, structure, layout and every string without a secret stay byte for byte.
import { findDisguises, findHits, findTokens, type KeywordHit } from './candidates.ts'
import { isSecretKey, isSecretMember } from './credential-object.ts'
import { decodeString, findJsonStrings, type JsonString } from './json-strings.ts'
import { noRule } from './keyword.ts'
import { redactText } from './redact-text.ts'
import type { Redactor } from './redactor.ts'
import { isPlaceholder, placeholder } from './regions.ts'
import { getRuleSet, type RuleSet } from './rule-set.ts'

export interface Edit {
  start: number
  end: number
  text: string
}

/** The first look, at the raw text: places worth a second one, in order. Most lines of a transcript have none. */
export function findSuspects(text: string): number[] {
  const ruleSet = getRuleSet()
  const hits = findHits(text, ruleSet).filter((hit) => isPromising(text, hit, ruleSet))
  const places = [...findTokens(text).map((token) => token.start), ...findDisguises(text), ...hits.map((hit) => hit.start)]
  return places.sort((a, b) => a - b)
}

function isPromising(text: string, { start, rule }: KeywordHit, ruleSet: RuleSet): boolean {
  if (rule === noRule) return true
  const hint = ruleSet.hint(rule)
  hint.lastIndex = start
  return hint.test(text)
}

/** Edits for the JSON text between two positions; undefined if it is not JSON. `suspects` are places worth looking at. */
export function planJsonEdits(
  text: string,
  start: number,
  end: number,
  suspects: readonly number[],
  redactor: Redactor,
): Edit[] | undefined {
  if (!isJson(text.slice(start, end))) return undefined
  const edits: Edit[] = []
  const everywhere = redactor.patterns.length > 0
  let next = 0
  for (const value of findJsonStrings(text, start, end)) {
    while (next < suspects.length && suspects[next]! < value.start) next += 1
    const suspect = everywhere || (next < suspects.length && suspects[next]! < value.end)
    const edit = planEdit(text, value, suspect, redactor)
    if (edit) edits.push(edit)
  }
  return edits
}

function planEdit(text: string, value: JsonString, suspect: boolean, redactor: Redactor): Edit | undefined {
  const { start, end, key, password } = value
  const named = key !== undefined && isSecretKey(key)
  if (end - start === 2 || !(suspect || named || password)) return undefined
  const plain = decodeString(text, start, end)
  if (isPlaceholder(plain)) return undefined
  const safe = password ? placeholder : redactMember(named ? key : undefined, plain, redactor)
  return safe === plain ? undefined : { start, end, text: JSON.stringify(safe) }
}

/** The rest of a text whose secrets are gone can itself be what a secret under this key would look like. */
function redactMember(key: string | undefined, plain: string, redactor: Redactor): string {
  const isSecret = (text: string) => key !== undefined && !isPlaceholder(text) && isSecretMember(key, text)
  if (isSecret(plain)) return placeholder
  const safe = redactText(plain, redactor)
  return isSecret(safe) ? placeholder : safe
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let out = ''
  let done = 0
  for (const edit of edits) {
    out += text.slice(done, edit.start) + edit.text
    done = edit.end
  }
  return done === 0 ? text : out + text.slice(done)
}
