// Queues checkpoints with a ref of their own until a push has taken them along. The reference program reads
// the same file.

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkpointRef, metadataRef } from '../checkpoints/layout.ts'
import type { Repo } from '../git/repo.ts'
import { readText, writeAtomic } from '../std/file.ts'
import { asObject, asString, parseJson } from '../std/json.ts'
import { takeLock } from '../std/lock.ts'

/** The metadata branch needs no queue: it is compared as a whole. */
export function queueForPush(repo: Repo, checkpoint: string): void {
  queueRefs(repo, [checkpointRef(checkpoint)])
}

export function queueRefs(repo: Repo, refs: string[]): void {
  const lines = refs.filter((ref) => ref !== metadataRef).map((ref) => `${JSON.stringify({ ref })}\n`)
  if (lines.length > 0) appendFileSync(queueFile(repo), lines.join(''), { mode: 0o600 })
}

export function readQueue(repo: Repo): string[] {
  const refs = (readText(queueFile(repo)) ?? '')
    .split('\n')
    .flatMap((line) => asString(asObject(parseJson(line))?.ref) ?? [])
  return [...new Set(refs)].filter((ref) => ref.startsWith('refs/entire/checkpoints/'))
}

/** Removes the pushed refs; refs that were added meanwhile stay. */
export async function dequeue(repo: Repo, pushed: string[]): Promise<void> {
  using _lock = await takeLock(`${queueFile(repo)}.lock`, { waitMs: 2_000 })
  const done = new Set(pushed)
  const rest = readQueue(repo).filter((ref) => !done.has(ref))
  writeAtomic(queueFile(repo), rest.map((ref) => `${JSON.stringify({ ref })}\n`).join(''))
}

function queueFile(repo: Repo): string {
  return join(repo.commonDir, 'entire-checkpoint-push-queue.jsonl')
}
