// Redacts a transcript in whatever form an agent keeps it: JSON lines, one JSON document, or text.
import { hideKeyLines } from './key-lines.ts'
import { applyEdits, type Edit, findSuspects, planJsonEdits } from './redact-json.ts'
import { redactText } from './redact-text.ts'
import type { Redactor } from './redactor.ts'

const byteOrderMark = '\uFEFF'

/** Every line on its own, so that redacting what was appended gives the same as redacting everything again. */
export function redactJsonLines(text: string, redactor: Redactor): string {
  const suspects = findSuspects(text)
  const everywhere = redactor.patterns.length > 0
  const edits: Edit[] = []
  let next = 0
  for (let start = text.startsWith(byteOrderMark) ? 1 : 0; start < text.length && (everywhere || next < suspects.length); ) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const first = next
    while (next < suspects.length && suspects[next]! < end) next += 1
    if (everywhere || next > first) {
      for (const edit of planLine(text, start, end, suspects.slice(first, next), redactor)) edits.push(edit)
    }
    start = end + 1
  }
  return applyEdits(text, edits)
}

function planLine(text: string, start: number, end: number, suspects: readonly number[], redactor: Redactor): readonly Edit[] {
  const edits = planJsonEdits(text, start, end, suspects, redactor)
  if (edits !== undefined) return edits
  const line = text.slice(start, end)
  const safe = redactText(line, redactor)
  return safe === line ? [] : [{ start, end, text: safe }]
}

/** A file that is one JSON value, however it is laid out; anything else is taken line by line. */
export function redactJsonDocument(text: string, redactor: Redactor): string {
  const start = text.startsWith(byteOrderMark) ? 1 : 0
  const suspects = findSuspects(text)
  if (suspects.length === 0 && redactor.patterns.length === 0) return text
  const edits = planJsonEdits(text, start, text.length, suspects, redactor)
  return edits === undefined ? redactJsonLines(text, redactor) : applyEdits(text, edits)
}

/** A first line that is a JSON value of its own is the mark of JSON lines. */
export function redactTranscript(text: string, redactor: Redactor): string {
  const firstLine = text.slice(0, text.indexOf('\n') + 1).replace(byteOrderMark, '')
  return isJsonValue(firstLine) ? redactJsonLines(text, redactor) : redactJsonDocument(hideKeyLines(text), redactor)
}

function isJsonValue(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
