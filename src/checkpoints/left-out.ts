// Names the files that a step could not hold because they are too large, too much or unreadable: in its tree, for a
// rewind, and in words.

import type { ObjectReader } from '../git/cat-file.ts'
import type { TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import type { Overlooked } from '../git/status.ts'
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
  return `${countWithVerb(paths, 'file')} not in the step (too large, too much or unreadable): ${listNames(paths)}`
}

/** One sentence for marked files, one for repositories inside of this one; nothing where there are none. */
export function describeOverlooked({ files, repositories }: Overlooked): string[] {
  return [
    ...(files.length === 0
      ? []
      : [
          `${countWithVerb(files, 'changed file')} in no step, because git was told to overlook them (assume-unchanged or skip-worktree): ${listNames(files)}`,
        ]),
    ...(repositories.length === 0
      ? []
      : [`Files of repositories inside of this one are in no step: ${listNames(repositories)}`]),
  ]
}

function countWithVerb(paths: string[], thing: string): string {
  return `${countOf(paths.length, thing)} ${paths.length === 1 ? 'is' : 'are'}`
}

function listNames(paths: string[]): string {
  // Names may hold anything, also what a terminal would obey.
  const shown = paths.slice(0, mostShown).map((name) => JSON.stringify(name).slice(1, -1))
  return `${shown.join(', ')}${paths.length > mostShown ? ` and ${paths.length - mostShown} more` : ''}`
}
