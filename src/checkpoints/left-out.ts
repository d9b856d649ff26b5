// Names the files that a step could not hold because they are too large, too much or unreadable: in its tree, for a
// rewind, and in words.

import type { ObjectReader } from '../git/cat-file.ts'
import type { TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import { asStrings, parseJson } from '../std/json.ts'
import { countOf } from '../std/plural.ts'

const path = '.entire/metadata/left-out.json'

/** Says in the tree of a step what it does not hold. */
export function leftOutChange(paths: string[]): TreeChange {
  if (paths.length === 0) return { path, deleted: true }
  return { path, mode: '100644', content: Buffer.from(`${JSON.stringify(paths)}\n`) }
}

export async function readLeftOut(objects: ObjectReader, step: Oid): Promise<string[]> {
  const file = await objects.contents(`${step}:${path}`)
  return asStrings(parseJson(file?.content.toString('utf8') ?? ''))
}

const mostShown = 3

/** `2 files are not in the step (too large, too much or unreadable): a.mp4, b.mp4`. */
export function describeLeftOut(paths: string[]): string {
  // Names may hold anything, also what a terminal would obey.
  const shown = paths.slice(0, mostShown).map((name) => JSON.stringify(name).slice(1, -1))
  const more = paths.length > mostShown ? ` and ${paths.length - mostShown} more` : ''
  const files = `${countOf(paths.length, 'file')} ${paths.length === 1 ? 'is' : 'are'}`
  return `${files} not in the step (too large, too much or unreadable): ${shown.join(', ')}${more}`
}
