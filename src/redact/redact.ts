// Redacts transcripts in the forms agents keep them in: JSON lines, one JSON document, or text.
import type { Settings } from '../model/settings.ts'
import { given } from '../std/given.ts'
import { isSecretKey, isSecretMember } from './credentials.ts'
import {
  type Finding,
  findByRules,
  findEscapedCharacters,
  findHits,
  findSecrets,
  findTokens,
  type KeywordHit,
} from './find-secrets.ts'
import { decodeString, encodedPlaces, findJsonStrings, type JsonString } from './json-strings.ts'
import { noRule } from './keywords.ts'
import { openPool } from './linear-pattern.ts'
import { applyRegions, isPlaceholder, placeholder } from './regions.ts'
import type { Span } from './rule.ts'
import { getRuleSet, type RuleSet } from './rule-set.ts'
import {
  emailPattern,
  findPatterns,
  type LabelledPattern,
  parseUserRule,
  phonePattern,
  type ReportOverdue,
} from './user-rules.ts'

/** What the settings add to the built-in rules, checked and compiled once per process. */
export interface Redactor {
  patterns: readonly LabelledPattern[]
  /** Told of each secret that is replaced: the rule that found it, and where in which text it begins. */
  report?: (rule: string, text: string, at: number) => void
}

export function createRedactor(settings: Settings['redaction'], report?: ReportOverdue): Redactor {
  const personal = [...(settings.emails ? [emailPattern] : []), ...(settings.phones ? [phonePattern] : [])]
  const run = { pool: openPool(settings.rules.length), ...given({ report }) }
  return { patterns: [...personal, ...settings.rules.map((rule) => parseUserRule(rule, run))] }
}

const byteOrderMark = '\uFEFF'

/** A text whose first line is a JSON value is read as JSON lines. */
export function redactTranscript(text: string, redactor: Redactor): string {
  const firstLine = text.slice(0, text.indexOf('\n') + 1).replace(byteOrderMark, '')
  return isJson(firstLine)
    ? redactJsonLines(text, redactor)
    : redactJsonDocument(redactPairs(redactPrivateKeys(text, redactor), redactor), redactor)
}

/**
 * Redacts each line by itself, so that redacting only appended lines gives the same as redacting everything.
 */
export function redactJsonLines(text: string, redactor: Redactor): string {
  const suspects = findSuspects(text)
  const everywhere = redactor.patterns.length > 0
  const edits: Edit[] = []
  let next = 0
  for (
    let start = text.startsWith(byteOrderMark) ? 1 : 0;
    start < text.length && (everywhere || next < suspects.length);
  ) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const first = next
    while (next < suspects.length && suspects[next]! < end) next += 1
    if (everywhere || next > first) {
      const line = { start, end, suspects: suspects.slice(first, next) }
      for (const edit of planLine(text, line, redactor)) edits.push(edit)
    }
    start = end + 1
  }
  return applyEdits(text, edits)
}

/** A part of a text, and the places in it that are worth a second look, in order. */
interface SuspectPart extends Span {
  suspects: readonly number[]
}

function planLine(text: string, part: SuspectPart, redactor: Redactor): readonly Edit[] {
  const edits = planJsonEdits(text, part, redactor)
  if (edits !== undefined) return edits
  const { start, end } = part
  const line = text.slice(start, end)
  const safe = redactText(
    line,
    reportingFrom(redactor, text, (at) => start + at),
  )
  return safe === line ? [] : [{ start, end, text: safe }]
}

/** Replaces what rules recognise in a name of a file or a branch, and nothing that only looks random. */
export function redactName(name: string): string {
  return redactText(name, { patterns: [] }, findByRules)
}

/** Reports places in a part of a text as places in the text. */
function reportingFrom(redactor: Redactor, text: string, place: (at: number) => number): Redactor {
  const { report } = redactor
  return report === undefined
    ? redactor
    : { ...redactor, report: (rule, _, at) => report(rule, text, place(at)) }
}

/** Redacts a text that is one JSON value in any layout; any other text line by line. */
export function redactJsonDocument(text: string, redactor: Redactor): string {
  const start = text.startsWith(byteOrderMark) ? 1 : 0
  const suspects = findSuspects(text)
  if (suspects.length === 0 && redactor.patterns.length === 0) return text
  const edits = planJsonEdits(text, { start, end: text.length, suspects }, redactor)
  return edits === undefined ? redactJsonLines(text, redactor) : applyEdits(text, edits)
}

/**
 * Replaces every secret in plain text. Repeats until nothing is found: a placeholder changes the surroundings
 * of the rest, and redacting twice must give the same as redacting once. It ends because every round leaves
 * fewer characters outside of placeholders.
 */
export function redactText(
  text: string,
  redactor: Redactor,
  find: (text: string) => Finding[] = findSecrets,
): string {
  for (let before = text; ; ) {
    const secrets = find(before).map((span) => ({ ...span, replacement: placeholder }))
    const { report } = redactor
    const after = applyRegions(
      before,
      [...secrets, ...findPatterns(before, redactor.patterns)],
      report && (({ rule, start }) => report(rule, before, start)),
    )
    if (after === before) return after
    before = after
  }
}

// A private key in plain text has many lines that are not recognisable one by one, and may be quoted. Each
// line is replaced by itself, because positions in a transcript count lines.

const begins = /-----BEGIN ?[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const ends = /-----END ?[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const quote = /^(?:#{1,6} |> ?|[ \t])*/
// The longest keys in use have about a hundred lines.
const maxLines = 400

const ofKey = /^[A-Za-z0-9+/=]*$|^[A-Za-z-]+: .*$/
const onlyOfKey = /^[A-Za-z0-9+/=]{16,}$|^$/

function redactPrivateKeys(text: string, { report }: Redactor): string {
  if (!begins.test(text)) return text
  const lines = text.split('\n')
  let [offset, measured] = [0, 0]
  for (let at = 0; at < lines.length; at += 1) {
    if (!begins.test(lines[at] ?? '') || ends.test(lines[at] ?? '')) continue
    const count = countKeyLines(lines.slice(at + 1, at + 1 + maxLines))
    for (; measured <= at + count; measured++) {
      if (measured === at && count > 0) report?.('private-key', text, offset)
      offset += (lines[measured]?.length ?? 0) + 1
    }
    for (let line = at + 1; line <= at + count; line += 1) lines[line] = hide(lines[line] ?? '')
    at += count
  }
  return lines.join('\n')
}

/** A truncated key ends with the first line that can be something else. */
function countKeyLines(lines: string[]): number {
  const bare = lines.map((line) => line.replace(quote, '').trim())
  const end = bare.findIndex((line) => ends.test(line))
  if (end !== -1 && bare.slice(0, end).every((line) => ofKey.test(line))) return end
  const other = bare.findIndex((line) => !onlyOfKey.test(line))
  return other === -1 ? bare.length : other
}

function hide(line: string): string {
  const [mark = ''] = quote.exec(line) ?? []
  const body = line.slice(mark.length)
  return body.trim() === '' ? line : `${mark}${placeholder}${body.slice(body.trimEnd().length)}`
}

// A name and its value on the next line, as in `- name: DB_PASSWORD` and `  value: x`, or `password: |` and `  x`.
const pairsOfLines = [
  /(?<name>[\w.-]{3,60})["'`]?,?[ \t]*\{?\r?\n[ \t]*["']?(?:value|default)["']?[ \t]*[:=][ \t]*["']?(?<value>[^\s"'`\\<>(){}]{6,512})/gi,
  /(?<name>[\w.-]{3,60})["'`]?[ \t]{0,4}[:=][ \t]{0,4}(?:[|>][+-]?\d?[ \t]{0,4}|["']?\$\(cat <<-?["']?\w{1,20}["']?)?\r?\n[ \t]{0,40}(?<value>[^\s"'`\\<>(){}]{6,512})(?=[ \t]{0,16}(?:[\r\n]|$))/g,
]

function redactPairs(text: string, redactor: Redactor): string {
  return pairsOfLines.reduce((before, pair) => redactEachPair(before, pair, redactor), text)
}

function redactEachPair(text: string, pair: RegExp, { report }: Redactor): string {
  const edits: Edit[] = []
  for (const match of text.matchAll(pair)) {
    const { name = '', value = '' } = match.groups ?? {}
    if (isPlaceholder(value) || !isSecretMember(name, value)) continue
    const end = match.index + match[0].length
    edits.push({ start: end - value.length, end, text: placeholder })
    report?.(memberRule, text, end - value.length)
  }
  return applyEdits(text, edits)
}

// JSON is redacted value by value: keys, structure, layout and every string without a secret stay byte for
// byte.

export interface Edit {
  start: number
  end: number
  text: string
}

/** The places in raw JSON worth a second look, in order. Most lines of a transcript have none. */
function findSuspects(text: string): number[] {
  const ruleSet = getRuleSet()
  const hits = findHits(text, ruleSet).filter((hit) => isPromising(text, hit, ruleSet))
  const places = [
    ...findTokens(text).map((token) => token.start),
    ...findEscapedCharacters(text),
    ...hits.map((hit) => hit.start),
  ]
  return places.sort((a, b) => a - b)
}

function isPromising(text: string, { start, rule }: KeywordHit, ruleSet: RuleSet): boolean {
  if (rule === noRule) return true
  const hint = ruleSet.hint(rule)
  hint.lastIndex = start
  return hint.test(text)
}

/** The edits for a part that is JSON; undefined if it is not. */
function planJsonEdits(
  text: string,
  { start, end, suspects }: SuspectPart,
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
  const { start, end, key, isName, password } = value
  const named = !isName && key !== undefined && isSecretKey(key)
  if (end - start === 2 || !(suspect || named || password)) return undefined
  const plain = decodeString(text, start, end)
  if (isPlaceholder(plain)) return undefined
  const inside = reportingFrom(redactor, text, encodedPlaces(text, start + 1))
  const safe = isName
    ? redactText(plain, { ...inside, patterns: [] }, findByRules)
    : redactMember(plain, password || (named ? key : undefined), inside)
  return safe === plain ? undefined : { start, end, text: JSON.stringify(safe) }
}

/** The name under which values are reported that are secret because of their key. */
const memberRule = 'secret-member'

/** What remains after redaction can itself look like a secret under this key; a password always does. */
function redactMember(plain: string, key: string | true | undefined, redactor: Redactor): string {
  const isSecret = (text: string) =>
    key === true || (key !== undefined && !isPlaceholder(text) && isSecretMember(key, text))
  const safe = isSecret(plain) ? placeholder : redactText(plain, redactor)
  if (safe !== placeholder && !isSecret(safe)) return safe
  if (isSecret(plain) || isSecret(safe)) redactor.report?.(memberRule, plain, 0)
  return placeholder
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
