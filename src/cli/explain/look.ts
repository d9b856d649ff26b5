// How an answer looks where it is going: as wide as the terminal and in colours there, plain and uncut anywhere else.
import type { Cli } from '../context.ts'
import { paint, type Style } from '../render/colour.ts'

export interface Look {
  width: number
  paint(style: Style, text: string): string
}

export function lookOf(cli: Cli): Look {
  const isColoured = paint(cli, 'dim', '') !== ''
  return {
    width: cli.isTerminal ? cli.size().columns : Number.POSITIVE_INFINITY,
    paint: (style, text) => (isColoured && text !== '' ? paint(cli, style, text) : text),
  }
}
