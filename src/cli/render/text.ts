// Text that came from users, agents or git is shown, never obeyed: control characters could move the cursor or forge output.
import type { Cli } from '../context.ts'

const sequence = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])/g
const control = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** On one line. */
export function clean(text: string): string {
  return text.replace(sequence, '').replace(control, ' ').trim()
}

/** On as many lines as it has, indented as they are. */
export function cleanLines(text: string): string {
  const lines = text.replace(sequence, '').split('\n')
  return lines.map((line) => line.replace(control, ' ')).join('\n')
}

/** On one line, at most `length` characters. */
export function cut(text: string, length: number): string {
  const characters = [...clean(text)]
  return characters.length > length ? `${characters.slice(0, length - 3).join('')}...` : characters.join('')
}

// Colour only where a terminal asks for it; NO_COLOR and TERM are respected by the stream's own answer.

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

export type Style = keyof typeof codes

export function paint(cli: Cli, style: Style, text: string): string {
  const { stdout, env } = cli.process
  const [on, off] = codes[style]
  return (stdout.getColorDepth?.(env ?? {}) ?? 1) >= 4 ? `\x1b[${on}m${text}\x1b[${off}m` : text
}

// Columns that line up, whatever is in them, and that give way to a narrow terminal.

export interface TableOptions {
  /** Columns of the terminal; the last column is cut to fit. Absent: nothing is cut. */
  width?: number
  indent?: number
  /** Columns of numbers. */
  right?: number[]
}

/** Lines of a table; no spaces at their ends. Cells are text that was cleaned, and may carry colours. */
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

/** At most so many columns, with `…` for what is missing. */
export function fit(line: string, width: number): string {
  if (Bun.stringWidth(line) <= width) return line
  let kept = ''
  let used = 0
  // Colour codes take no room, so they are kept even behind the cut.
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
