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
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ''))))
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
