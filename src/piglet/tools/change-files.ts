// Defines the `edit` and `write` tools, which replace one piece of a file, or all of it. The earlier content
// is kept for undo.

import { readFileSync } from 'node:fs'
import type { LocalTool } from '../../extensions/registry.ts'
import { findStat, readText, writeAtomic } from '../../std/file.ts'
import { defineLocalTool, ToolFailure } from './define-tool.ts'
import { noteSeen, requireFresh, requireRegular, type ToolContext, targetPath } from './tool-context.ts'

const maxBytes = 50 * 1024 * 1024

export function editTool(context: ToolContext): LocalTool {
  return defineLocalTool({
    name: 'edit',
    description: 'Replaces a piece of a file. The old text must occur in it exactly once.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file.' },
        old_text: {
          type: 'string',
          description: 'The text to replace, with enough around it to occur only once.',
        },
        new_text: { type: 'string', description: 'The text that replaces it.' },
      },
      required: ['path', 'old_text', 'new_text'],
    },
    async run(args) {
      const path = targetPath(context, args.text('path'))
      const [oldText, newText] = [args.text('old_text'), args.text('new_text')]
      if (oldText === '') throw new ToolFailure('INVALID_ARGS', 'old_text must not be empty')
      requireRegular(path, maxBytes)
      requireFresh(context, path)
      const before = readFileSync(path, 'utf8')
      const at = findOnce(before, oldText, path)
      const after = before.slice(0, at) + newText + before.slice(at + oldText.length)
      const details = changeFile(context, path, before, after)
      return { text: `Changed ${path} (+${details.added} -${details.removed}).`, details }
    },
  })
}

/** Falls back to comparing straightened quotes, because models often write straight ones for curly ones. */
function findOnce(text: string, piece: string, path: string): number {
  const count = countOf(text, piece)
  const [where, what] = count === 0 ? [straight(text), straight(piece)] : [text, piece]
  const found = count === 0 ? countOf(where, what) : count
  if (found === 0)
    throw new ToolFailure(
      'INVALID_ARGS',
      `old_text is not in ${path}`,
      'read the file, and copy the text from there',
    )
  if (found > 1)
    throw new ToolFailure(
      'NOT_UNIQUE',
      `old_text occurs ${found} times in ${path}`,
      'give more of the text around it',
    )
  return where.indexOf(what)
}

function countOf(text: string, piece: string): number {
  let count = 0
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1)) count += 1
  return count
}

// Replaces one character by one, so that positions stay the same.
function straight(text: string): string {
  return text.replaceAll(/[\u2018\u2019\u201a\u201b]/g, "'").replaceAll(/[\u201c\u201d\u201e\u201f]/g, '"')
}

export function writeTool(context: ToolContext): LocalTool {
  return defineLocalTool({
    name: 'write',
    description: 'Writes a file, and creates its directories. Earlier content is replaced.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file.' },
        content: { type: 'string', description: 'The whole content of the file.' },
      },
      required: ['path', 'content'],
    },
    async run(args) {
      const path = targetPath(context, args.text('path'))
      const content = args.text('content')
      const stat = findStat(path)
      if (stat && !stat.isFile()) throw new ToolFailure('NOT_REGULAR_FILE', `${path} is not a regular file`)
      requireFresh(context, path)
      const details = changeFile(context, path, readText(path) ?? '', content)
      return {
        text: `${stat ? 'Replaced' : 'Created'} ${path} (${Buffer.byteLength(content)} bytes).`,
        details,
      }
    },
  })
}

export interface ChangeSize {
  added: number
  removed: number
  files: number
  hunks: number
}

/** Keeps the earlier content, then replaces the file in one step. */
function changeFile(context: ToolContext, path: string, before: string, after: string): ChangeSize {
  const mode = findStat(path)?.mode
  context.undo.keep(path)
  writeAtomic(path, after, { mode: mode === undefined ? 0o644 : mode & 0o777, dirMode: 0o755 })
  noteSeen(context, path)
  return changeSize(before, after)
}

/** Counts the lines from the first that differs to the last that does. */
export function changeSize(before: string, after: string): ChangeSize {
  const [old, now] = [linesOf(before), linesOf(after)]
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1
  const [removed, added] = [old.length - head - tail, now.length - head - tail]
  return { added, removed, files: 1, hunks: added + removed > 0 ? 1 : 0 }
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
