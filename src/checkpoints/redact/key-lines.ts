// A private key in plain text stands on many lines, none of which says what it is, and may be quoted. Its lines are emptied one by one,
// because the number of lines is what positions count.
import { placeholder } from './regions.ts'

const begins = /-----BEGIN ?[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const ends = /-----END ?[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const quote = /^(?:#{1,6} |> ?|[ \t])*/
// The longest keys in use have about a hundred lines.
const maxLines = 400

const ofKey = /^[A-Za-z0-9+/=]*$|^[A-Za-z-]+: .*$/
const onlyOfKey = /^[A-Za-z0-9+/=]{16,}$|^$/

export function hideKeyLines(text: string): string {
  if (!begins.test(text)) return text
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    if (!begins.test(lines[at] ?? '') || ends.test(lines[at] ?? '')) continue
    const count = countKeyLines(lines.slice(at + 1, at + 1 + maxLines))
    for (let line = at + 1; line <= at + count; line += 1) lines[line] = hide(lines[line] ?? '')
    at += count
  }
  return lines.join('\n')
}

/** A key that was cut off goes on for as long as its lines can be nothing else. */
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
  return body.trim() === '' ? line : `${mark}${placeholder}${/\s*$/.exec(body)?.[0] ?? ''}`
}
