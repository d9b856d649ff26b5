// Formats text for the terminal: without control characters, with colours, in columns.
import type { Cli } from '../context.ts'

// Text from users, agents or git may contain control characters that move the cursor or forge output.
const sequence = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])/g
const control = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** Removes control characters, and joins lines to one. */
export function clean(text: string): string {
  return text.replace(sequence, '').replace(control, ' ').trim()
}

/** Removes control characters, but keeps lines and their indentation. */
export function cleanLines(text: string): string {
  const lines = text.replace(sequence, '').split('\n')
  return lines.map((line) => line.replace(control, ' ')).join('\n')
}

/** Cleans the text, and cuts it to at most `length` characters. */
export function cut(text: string, length: number): string {
  const characters = [...clean(text)]
  return characters.length > length ? `${characters.slice(0, length - 3).join('')}...` : characters.join('')
}

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

export type Style = keyof typeof codes

/** Colours the text only for a terminal; the stream takes NO_COLOR and TERM into account. */
export function paint(cli: Cli, style: Style, text: string): string {
  const { stdout, env } = cli.process
  const [on, off] = codes[style]
  return (stdout.getColorDepth?.(env ?? {}) ?? 1) >= 4 ? `\x1b[${on}m${text}\x1b[${off}m` : text
}

export interface TableOptions {
  /** Cuts lines to the width of the terminal. Absent: nothing is cut. */
  width?: number
  indent?: number
  /** Indexes of the columns that are aligned to the right. */
  right?: number[]
}

/** Cells must have been cleaned, and may be coloured. Lines have no spaces at their ends. */
export function tableLines(rows: string[][], { width, indent = 0, right = [] }: TableOptions = {}): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ''))),
  )
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const gap = ' '.repeat(Math.max(0, (widths[column] as number) - Bun.stringWidth(cell)))
      return right.includes(column) ? gap + cell : cell + gap
    })
    const line = `${' '.repeat(indent)}${cells.join('  ')}`.trimEnd()
    return width === undefined ? line : fit(line, width)
  })
}

/** Cuts a line to the width, ending in `…`. */
export function fit(line: string, width: number): string {
  if (Bun.stringWidth(line) <= width) return line
  let kept = ''
  let used = 0
  // Colour codes are kept even after the cut, so that colours end.
  for (const [piece] of line.matchAll(/\x1b\[[0-9;]*m|./gsu)) {
    const room = Bun.stringWidth(piece)
    if (room > 0 && used + room > width - 1) used = width
    else {
      kept += piece
      used += room
    }
  }
  return `${kept.trimEnd()}…`
}
