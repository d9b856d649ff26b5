// The branch of a session that goes on: from its last line back to the beginning.
import type { JsonObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'

type Lines = (JsonObject | undefined)[]

/** The positions of its lines, oldest first. */
export function findActiveBranch(lines: Lines): number[] {
  const ids = new Map(lines.map((line, at) => [text(line?.id) ?? '', at]))
  const branch: number[] = []
  for (let at = before(lines, lines.length); at >= 0; at = parentOf(lines, at, ids)) branch.push(at)
  return branch.reverse()
}

/** Where the parent of a line cannot be found, because a line is broken or a version did not name it, the line before is taken for it. */
function parentOf(lines: Lines, at: number, ids: Map<string, number>): number {
  const parent = lines[at]?.parentId
  if (parent === null) return -1
  const found = ids.get(text(parent) ?? '') ?? at
  // Never forward: lines that name each other would be walked for ever.
  return found < at ? found : before(lines, at)
}

function before(lines: Lines, at: number): number {
  let index = at - 1
  while (index >= 0 && (lines[index] === undefined || lines[index]?.type === 'session')) index -= 1
  return index
}
