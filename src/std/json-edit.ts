// Edits a JSON file that the user owns: inserts and removes single values, and leaves all other text as it
// was.

import { type Node, type ParseError, parseTree } from 'jsonc-parser'
import { EntireError } from './errors.ts'
import type { Json } from './json.ts'

/** The syntax tree of a settings file. Throws when it is not a JSON object, with or without comments. */
export function parseSettings(text: string, path: string): Node {
  const errors: ParseError[] = []
  const root = tooDeepIsInvalid(() => parseTree(text, errors, { allowTrailingComma: true }))
  if (root?.type === 'object' && errors.length === 0) return root
  throw new EntireError('bad-settings', `${path} is not valid JSON.`, {
    hint: `Repair ${path} and run the command again. It was not changed.`,
  })
}

/** The parser goes as deep as the text does: undefined where that exceeds the stack. */
export function tooDeepIsInvalid<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The node at a path of keys. Of a repeated key the last one counts, as for every reader of JSON. */
export function findNode(root: Node, path: string[]): Node | undefined {
  let node: Node | undefined = root
  for (const key of path)
    node =
      node?.type === 'object'
        ? node.children?.findLast((child) => child.children?.[0]?.value === key)?.children?.[1]
        : undefined
  return node
}

export function insertProperty(text: string, parent: Node, key: string, value: Json): string {
  return insert(
    text,
    parent,
    (render) => `${JSON.stringify(key)}:${render.compact ? '' : ' '}${render.value(value)}`,
  )
}

export function appendItem(text: string, parent: Node, value: Json): string {
  return insert(text, parent, (render) => render.value(value))
}

export function replaceValue(text: string, node: Node, value: Json): string {
  return text.slice(0, node.offset) + JSON.stringify(value) + text.slice(endOf(node))
}

interface Render {
  compact: boolean
  value(value: Json): string
}

function insert(text: string, parent: Node, body: (render: Render) => string): string {
  const close = endOf(parent) - 1
  const last = parent.children?.at(-1)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  // An empty container is filled in the style of the one around it.
  const around = last ? parent : parent.parent?.type === 'property' ? parent.parent.parent : parent.parent
  const compact = around !== undefined && !text.slice(around.offset, endOf(around)).includes('\n')
  const outer = indentAt(text, parent.offset)
  const inner = last && startsLine(text, last.offset) ? indentAt(text, last.offset) : outer + indentUnit(text)
  const rendered = body({
    compact,
    value: (value) =>
      compact
        ? JSON.stringify(value)
        : JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', eol + inner),
  })
  // Comments at the end of the container belong to the item before them.
  const at = text.slice(0, close).trimEnd().length
  const before = last
    ? text.slice(0, endOf(last)) +
      (hasComma(text, endOf(last), close) ? '' : ',') +
      text.slice(endOf(last), at)
    : text.slice(0, at)
  if (compact) return `${before}${last && text.includes('", "') ? ' ' : ''}${rendered}${text.slice(at)}`
  return `${before}${eol}${inner}${rendered}${last ? text.slice(at) : `${eol}${outer}${text.slice(close)}`}`
}

/** Removes an item or a property with its comma and its line, and leaves the comments around it. */
export function removeNode(text: string, node: Node): string {
  const parent = node.parent
  const siblings = parent?.children ?? []
  const at = siblings.indexOf(node)
  const [previous, next] = [siblings[at - 1], siblings[at + 1]]
  const close = parent ? endOf(parent) - 1 : text.length
  const after = findComma(text, endOf(node), next?.offset ?? close)
  const before = previous && after === undefined ? findComma(text, endOf(previous), node.offset) : undefined
  const comma = after ?? before
  const [from, to] = withBlanks(text, node.offset, endOf(node), after)
  const cuts: [number, number][] = [[from, to]]
  if (comma !== undefined && (comma < from || comma >= to)) cuts.push([comma, comma + 1])
  const result = cuts
    .sort((a, b) => b[0] - a[0])
    .reduce((rest, [start, end]) => rest.slice(0, start) + rest.slice(end), text)
  if (!parent || siblings.length > 1) return result
  const shrunk = close - (text.length - result.length)
  return result.slice(parent.offset + 1, shrunk).trim() === ''
    ? result.slice(0, parent.offset + 1) + result.slice(shrunk)
    : result
}

/** Widens a cut to the comma when only blanks lie between, and to the whole line when it starts one. */
function withBlanks(text: string, start: number, end: number, comma: number | undefined): [number, number] {
  const to = comma !== undefined && text.slice(end, comma).trim() === '' ? comma + 1 : end
  // The line before may end in a comment, which must not swallow the rest of this line.
  if (!startsLine(text, start) || !/^[ \t]*\r?(?:\n|$)/.test(text.slice(to)))
    return [start, to + (/^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0)]
  const line = lineStart(text, start)
  const lineBreak = text[line - 1] !== '\n' ? 0 : text[line - 2] === '\r' ? 2 : 1
  return [line - lineBreak, to]
}

function endOf(node: Node): number {
  return node.offset + node.length
}

/** The comma between two nodes, outside of comments. */
function findComma(text: string, from: number, to: number): number | undefined {
  const between = text
    .slice(from, to)
    .replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (comment) => ' '.repeat(comment.length))
  const at = between.indexOf(',')
  return at < 0 ? undefined : from + at
}

function hasComma(text: string, from: number, to: number): boolean {
  return findComma(text, from, to) !== undefined
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at)))?.[0] ?? ''
}

function startsLine(text: string, at: number): boolean {
  return text.slice(lineStart(text, at), at).trim() === ''
}

function indentUnit(text: string): string {
  return /\n([ \t]+)["{[]/.exec(text)?.[1] ?? '  '
}
