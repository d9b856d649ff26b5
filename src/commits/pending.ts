// Keeps the id of a checkpoint that a trailer promises, from before the commit exists until the checkpoint is
// written. After a crash the next event completes it.

import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { pendingName } from '../sessions/file-names.ts'
import { emptyFile, exists, overwrite, readText } from '../std/file.ts'
import { asNumber, asObject, asString, parseJson } from '../std/json.ts'

export interface PendingCommit {
  checkpoint: string
  at: number
}

export function writePending(repo: Repo, pending: PendingCommit): void {
  overwrite(pendingFile(repo), JSON.stringify(pending))
}

export function readPending(repo: Repo): PendingCommit | undefined {
  const record = asObject(parseJson(readText(pendingFile(repo)) ?? ''))
  const checkpoint = asString(record?.checkpoint)
  return checkpoint === undefined ? undefined : { checkpoint, at: asNumber(record?.at) ?? 0 }
}

export function removePending(repo: Repo): void {
  emptyFile(pendingFile(repo))
}

function pendingFile(repo: Repo): string {
  return join(repo.gitDir, pendingName)
}

/** Holds what git reported of a rewrite, until sessions have followed it. */
export function rewriteFile(repo: Repo): string {
  return join(repo.gitDir, 'entire-rewrite')
}

/** True when an earlier hook of git died before it finished its work. */
export function isUnfinished(repo: Repo): boolean {
  return readPending(repo) !== undefined || exists(rewriteFile(repo))
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Twelve hex digits on the metadata branch; a ULID where every checkpoint has a ref of its own. */
export function newCheckpointId({
  settings,
  random,
  clock,
}: Pick<Recorder, 'settings' | 'random' | 'clock'>): string {
  return settings.checkpointsBackend === 'git-refs' ? ulid(clock().getTime(), random(10)) : random(6)
}

// 48 bits of time and 80 random bits, five bits a character.
function ulid(time: number, randomHex: string): string {
  let value = (BigInt(time) << 80n) | BigInt(`0x${randomHex}`)
  let text = ''
  for (let digit = 0; digit < 26; digit += 1) {
    text = crockford.charAt(Number(value & 31n)) + text
    value >>= 5n
  }
  return text
}
