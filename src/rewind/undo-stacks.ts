// Keeps the order of undo and redo: two stacks of safety steps in a file of the work tree. Each safety step
// has a ref of its own.

import { join } from 'node:path'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { undoPrefixOf } from '../sessions/kept-refs.ts'
import { readText, writeAtomic } from '../std/file.ts'
import { asObject, asStrings, parseJson } from '../std/json.ts'
import { readSafety, type SafetyStep } from './safety-step.ts'

export type Direction = 'undo' | 'redo'

/** Newest first. */
export type Stacks = Record<Direction, Oid[]>

// Older safety steps leave the stack, but stay as commits until they expire.
const depth = 200

export async function readStacks(repo: Repo): Promise<Stacks> {
  const record = asObject(parseJson(readText(stackFile(repo)) ?? ''))
  if (record !== undefined) return { undo: asStrings(record.undo), redo: asStrings(record.redo) }
  // Without the file, every safety step can be undone. Names of refs hold the time, so the newest comes last.
  const steps = await listRefs(repo, `${undoPrefixOf(repo)}*`)
  return { undo: steps.map(({ oid }) => oid).reverse(), redo: [] }
}

export function writeStacks(repo: Repo, { undo, redo }: Stacks): void {
  writeAtomic(stackFile(repo), JSON.stringify({ undo: undo.slice(0, depth), redo: redo.slice(0, depth) }), {
    sync: true,
  })
}

/** The stacks after a new rewind. What could be redone before it moves below it on the undo stack. */
export function pushUndo({ undo, redo }: Stacks, step: Oid): Stacks {
  return { undo: [step, ...redo, ...undo], redo: [] }
}

/** The first safety step of a stack that git still has, and the stack below it. */
export async function popSafetyStep(
  objects: ObjectReader,
  stack: Oid[],
): Promise<{ target: SafetyStep; rest: Oid[] } | undefined> {
  for (const [index, oid] of stack.entries()) {
    const target = await readSafety(objects, oid)
    if (target !== undefined) return { target, rest: stack.slice(index + 1) }
  }
  return undefined
}

function stackFile(repo: Repo): string {
  return join(repo.gitDir, 'entire-undo.json')
}
