// The first line of a session says in which directory it runs. On another machine, or in another clone, that is another one.
import { join, sep } from 'node:path'
import { asObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'

/** Undefined when it runs there already, or nobody can say where it runs. */
export function moveTo(root: string, session: Buffer): Buffer | undefined {
  const end = session.indexOf('\n')
  const header = asObject(parseJson(session.toString('utf8', 0, end === -1 ? session.length : end)))
  const cwd = text(header?.cwd)
  if (header?.type !== 'session' || cwd === undefined || cwd === root || cwd.startsWith(join(root, sep))) return undefined
  const moved = Buffer.from(`${JSON.stringify({ ...header, cwd: root })}\n`)
  return end === -1 ? moved : Buffer.concat([moved, session.subarray(end + 1)])
}
