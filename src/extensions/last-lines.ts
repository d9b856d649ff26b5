// The last lines that somebody printed, for the message that says why they died.
const keptLines = 20
const keptLength = 500

export function lastLines() {
  const lines: string[] = []
  return {
    add(line: string): void {
      lines.push(line.slice(0, keptLength))
      if (lines.length > keptLines) lines.shift()
    },
    all: (): string[] => [...lines],
  }
}
