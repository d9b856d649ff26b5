// The ways back and forth: which safety steps undo and redo lead to. Each of them has a ref of its own.
import { join } from 'node:path'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { readText, writeAtomic } from '../std/file.ts'
import { asObject, asStrings, parseJson } from '../std/json.ts'
import { undoPrefixOf } from './kept.ts'
import { readSafety, type SafetyStep } from './safety-step.ts'

export type Direction = 'undo' | 'redo'

/** Newest first. */
export type Stacks = Record<Direction, Oid[]>

// Nobody goes further back one by one; what lies beyond is still there as a commit.
const depth = 200

export async function readStacks(repo: Repo): Promise<Stacks> {
  const record = asObject(parseJson(readText(stackFile(repo)) ?? ''))
  if (record !== undefined) return { undo: asStrings(record.undo), redo: asStrings(record.redo) }
  // Lost: every state that was ever kept is a way back.
  const steps = await listRefs(repo, `${undoPrefixOf(repo)}*`)
  // Names hold the time, so the newest comes last.
  return { undo: steps.map(({ oid }) => oid).reverse(), redo: [] }
}

export function writeStacks(repo: Repo, { undo, redo }: Stacks): void {
  writeAtomic(stackFile(repo), JSON.stringify({ undo: undo.slice(0, depth), redo: redo.slice(0, depth) }), { sync: true })
}

/** After something new was done: what could be done again is still kept, below it. */
export function pushed({ undo, redo }: Stacks, step: Oid): Stacks {
  return { undo: [step, ...redo, ...undo], redo: [] }
}

/** The state that a way leads to, and what lies beyond it. Steps that git no longer has are passed over. */
export async function findTarget(objects: ObjectReader, stack: Oid[]): Promise<{ target: SafetyStep; rest: Oid[] } | undefined> {
  for (const [index, oid] of stack.entries()) {
    const target = await readSafety(objects, oid)
    if (target !== undefined) return { target, rest: stack.slice(index + 1) }
  }
  return undefined
}

function stackFile(repo: Repo): string {
  return join(repo.gitDir, 'entire-undo.json')
}
