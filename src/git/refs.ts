// Lists refs in one process, and moves or deletes them only from where they were seen.

import { join } from 'node:path'
import { EntireError } from '../std/errors.ts'
import { exists } from '../std/file.ts'
import { writePoint } from '../std/kill-point.ts'
import type { PipedProcess } from '../std/process.ts'
import { git, gitFailure, startGit } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'

export interface RefTip {
  ref: string
  oid: Oid
}

export async function listRefs(repo: Repo, ...patterns: string[]): Promise<RefTip[]> {
  const { stdout } = await git(repo, ['for-each-ref', '--format=%(objectname) %(refname)', ...patterns])
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ oid: line.slice(0, line.indexOf(' ')), ref: line.slice(line.indexOf(' ') + 1) }))
}

export interface RefMove {
  ref: string
  /** Undefined to delete the ref. */
  to: Oid | undefined
  /** Where the ref was seen; undefined when it must not exist. */
  from: Oid | undefined
}

/** Moves refs in two steps, all of them or none. Disposed of without `commit`, it moves none. */
export interface RefTransaction extends Disposable {
  /**
   * Locks the refs at their expected values (skipped for reftable, where one lock covers all refs). A process
   * that dies leaves no lock behind.
   */
  prepare(moves: RefMove[]): void
  /** Throws `ref-moved` when a ref is not where it was seen; then none is moved. */
  commit(): Promise<void>
}

export function openRefTransaction(repo: Repo): RefTransaction {
  let moves: RefMove[] = []
  let updateRef: PipedProcess | undefined
  const begin = () => {
    updateRef = startGit(repo, ['update-ref', '--stdin', '-z'])
    updateRef.write(`start\0${moves.map(command).join('')}prepare\0`)
    void updateRef.flush()
    return updateRef
  }
  return {
    prepare(planned) {
      moves = planned
      if (moves.length > 0 && !exists(join(repo.commonDir, 'reftable'))) begin()
    },
    async commit() {
      if (moves.length === 0) return
      const prepared = updateRef ?? begin()
      updateRef = undefined
      moves = []
      writePoint()
      prepared.write('commit\0')
      void prepared.flush()
      const isDone = await waitForOutput(prepared, 'commit: ok\n')
      writePoint()
      const ended = prepared.end()
      // Git reports the moved refs some time before it exits, so its end is awaited only for a failure.
      if (!isDone) throw moveFailure(await ended)
    },
    [Symbol.dispose]: () => void updateRef?.end(),
  }
}

/** Moves all refs or none. */
export async function moveRefs(repo: Repo, moves: RefMove[]): Promise<void> {
  using refs = openRefTransaction(repo)
  refs.prepare(moves)
  await refs.commit()
}

function command({ ref, to, from }: RefMove): string {
  if (to === undefined) return `${from === undefined ? 'verify' : 'delete'} ${ref}\0${from ?? ''}\0`
  return from === undefined ? `create ${ref}\0${to}\0` : `update ${ref}\0${to}\0${from}\0`
}

/** False when the process ends without having written the text. */
async function waitForOutput({ output }: PipedProcess, text: string): Promise<boolean> {
  for (let written = ''; ; ) {
    const { value, done } = await output.read()
    if (done) return false
    written += Buffer.from(value).toString('latin1')
    if (written.includes(text)) return true
  }
}

function moveFailure(ended: { code: number; stderr: string }): EntireError {
  if (!/cannot lock ref|reference already exists/.test(ended.stderr)) return gitFailure(['update-ref'], ended)
  return new EntireError('ref-moved', `A ref changed while it was being written: ${ended.stderr.trim()}`, {
    hint: 'Run the command again.',
  })
}
