// Wraps help to the width of the terminal: paragraphs, usage lines, examples, and lists of flags and commands.
// Errors, hints and notes are wrapped line by line.

import { isTerminal } from './streams.ts'

/** The width where there is no terminal, and of the generated reference. */
export const plainWidth = 80
const [narrowest, widest] = [40, 100]

interface Screen {
  size(): { columns: number }
}

export function helpWidth(cli: Screen): number {
  const { columns } = cli.size()
  return Number.isFinite(columns) ? Math.min(Math.max(columns, narrowest), widest) : plainWidth
}

/** What to wrap to: help always, errors and notes only on a terminal. */
export interface TextWidths {
  help(): number
  notes(): number
}

export const plainWidths: TextWidths = { help: () => plainWidth, notes: () => Number.POSITIVE_INFINITY }

export function widthsOf(cli: Screen): TextWidths {
  return { help: () => helpWidth(cli), notes: () => noteWidth(cli.size().columns) }
}

/** How wide errors and notes may be: without a limit when standard error is not a terminal. */
export function noteWidth(columns: number): number {
  return isTerminal(2) ? Math.max(columns, narrowest) : Number.POSITIVE_INFINITY
}

export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
    .join('\n')
}

/** The help may be coloured: colours have no width. */
export function wrapHelp(help: string, width: number): string {
  return help
    .split('\n\n')
    .map((block) => wrapBlock(block.split('\n'), width).join('\n'))
    .join('\n\n')
}

function wrapBlock(lines: string[], width: number): string[] {
  const [first = '', ...rest] = lines
  const heading = Bun.stripANSI(first)
  if (heading === 'USAGE') return [first, ...rest.flatMap((line) => wrapUsage(line, width))]
  if (heading === 'EXAMPLES') return [first, ...wrapExamples(rest, width)]
  return joinSentences(lines).flatMap((line) => wrapLine(line, width))
}

/** In manuals, a sentence may go on in the next line. */
function joinSentences(lines: string[]): string[] {
  const joined: string[] = []
  for (const line of lines) {
    const last = joined.at(-1)
    const goesOn = last !== undefined && isText(last) && isText(line) && !/[.:]$/.test(last)
    if (goesOn) joined.splice(-1, 1, `${last} ${line}`)
    else joined.push(line)
  }
  return joined
}

/** Neither indented nor a heading. */
function isText(line: string): boolean {
  return /^\S/.test(line) && !/^[A-Z][A-Z ]+$/.test(Bun.stripANSI(line))
}

/** Breaks between flags, never inside the brackets of one. */
function wrapUsage(line: string, width: number): string[] {
  if (Bun.stringWidth(line) <= width) return [line]
  return fill(line.match(/(?:\[[^\]]*\]|\S)+/g) ?? [], { first: '  ', next: '      ', width })
}

/** The text of a line goes on below itself: after the name of a flag, a command or a setting. */
export function wrapLine(line: string, width: number): string[] {
  if (Bun.stringWidth(line) <= width) return [line]
  const plain = Bun.stripANSI(line)
  const textAt = (/^ +\S.*? {2,}(?=\S)/.exec(plain) ?? /^ */.exec(plain))?.[0].length ?? 0
  const at = rawIndex(line, textAt)
  // Words in backquotes are typed as they are, so they stay together.
  const words = line.slice(at).match(/(?:`[^`]*`|\S)+/g) ?? []
  return fill(words, { first: line.slice(0, at), next: ' '.repeat(textAt), width })
}

/** Where the visible character at `index` is in a line with colours. */
function rawIndex(line: string, index: number): number {
  let raw = 0
  while (Bun.stripANSI(line.slice(0, raw)).length < index) raw += 1
  return raw
}

interface Filling {
  first: string
  next: string
  width: number
}

function fill([head = '', ...words]: string[], { first, next, width }: Filling): string[] {
  const lines = [first + head]
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (Bun.stringWidth(longer) <= width) lines.splice(-1, 1, longer)
    else lines.push(next + word)
  }
  return lines
}

interface Example {
  command: string
  meaning: string
}

/** Meanings stand beside their commands where they fit, and below them otherwise. */
function wrapExamples(lines: string[], width: number): string[] {
  const column = meaningColumn(lines.flatMap(exampleOf), width)
  return lines.flatMap((line) => {
    const [example] = exampleOf(line)
    if (example === undefined) return [line]
    const { command, meaning } = example
    if (command.length <= column && 2 + column + 4 + meaning.length <= width)
      return [`  ${command.padEnd(column)}  # ${meaning}`]
    return [`  ${command}`, ...fill(meaning.split(' '), { first: '      # ', next: '      # ', width })]
  })
}

function exampleOf(line: string): Example[] {
  const [, command, meaning] = /^ {2}(\S.*?) +# (.*)$/.exec(line) ?? []
  return command === undefined || meaning === undefined ? [] : [{ command, meaning }]
}

/** The length of the longest command that leaves room for the meanings of all shorter ones. */
function meaningColumn(examples: Example[], width: number): number {
  const fits = (column: number, { meaning }: Example) => 2 + column + 4 + meaning.length <= width
  let rest = examples.filter((example) => fits(example.command.length, example))
  for (;;) {
    const column = Math.max(0, ...rest.map(({ command }) => command.length))
    if (rest.every((example) => fits(column, example))) return column
    rest = rest.filter(({ command }) => command.length < column)
  }
}
