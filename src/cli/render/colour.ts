// Colour only where a terminal asks for it; NO_COLOR and TERM are respected by the stream's own answer.
import type { Cli } from '../context.ts'

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
