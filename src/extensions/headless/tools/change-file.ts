// Changes a file for the model: what was there is kept, nobody sees half of it, and how much changed is known.
import { findStat, writeAtomic } from '../../../std/file.ts'
import { noteSeen, type ToolContext } from './tool-context.ts'

export interface ChangeSize {
  added: number
  removed: number
  files: number
  hunks: number
}

export function changeFile(context: ToolContext, path: string, before: string, after: string): ChangeSize {
  const mode = findStat(path)?.mode
  context.undo.keep(path)
  writeAtomic(path, after, { mode: mode === undefined ? 0o644 : mode & 0o777, dirMode: 0o755 })
  noteSeen(context, path)
  return changeSize(before, after)
}

/** Lines from the first that differs to the last that does. */
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
