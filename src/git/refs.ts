// Refs: listed in one process, and moved or deleted only from where they were seen.

import { join } from 'node:path'
import { EntireError } from '../std/errors.ts'
import { writePoint } from '../std/fault.ts'
import { exists } from '../std/file.ts'
import type { PipedProcess } from '../std/proc.ts'
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
  /** Undefined: delete. */
  to: Oid | undefined
  /** Where the ref was seen; undefined: it must not exist. */
  from: Oid | undefined
}

/** Moves refs in two steps, all or none of them. */
export interface RefTransaction extends Disposable {
  /** Locks them where they were seen, if that locks no others; who wants them waits from now on. A process that dies leaves no lock behind. */
  prepare(moves: RefMove[]): void
  /** Throws `ref-moved` when one was not where it was seen; then none is moved. */
  commit(): Promise<void>
}

export function openRefTransaction(repo: Repo): RefTransaction {
  let moves: RefMove[] = []
  let conversation: PipedProcess | undefined
  const begin = () => {
    conversation = startGit(repo, ['update-ref', '--stdin', '-z'])
    conversation.write(`start\0${moves.map(command).join('')}prepare\0`)
    void conversation.flush()
    return conversation
  }
  return {
    prepare(some) {
      moves = some
      // Where all refs are in one table, a lock on one of them would keep others from being written.
      if (moves.length > 0 && !exists(join(repo.commonDir, 'reftable'))) begin()
    },
    async commit() {
      if (moves.length === 0) return
      const prepared = conversation ?? begin()
      conversation = undefined
      moves = []
      writePoint()
      prepared.write('commit\0')
      void prepared.flush()
      const isDone = await hears(prepared, 'commit: ok\n')
      writePoint()
      const ended = prepared.end()
      // It says so when the refs are moved, and takes its time to end.
      if (!isDone) throw moveFailure(await ended)
    },
    // Without the last word nothing is moved.
    [Symbol.dispose]: () => void conversation?.end(),
  }
}

/** Moves all or none. */
export async function moveRefs(repo: Repo, moves: RefMove[]): Promise<void> {
  using refs = openRefTransaction(repo)
  refs.prepare(moves)
  await refs.commit()
}

function command({ ref, to, from }: RefMove): string {
  if (to === undefined) return `${from === undefined ? 'verify' : 'delete'} ${ref}\0${from ?? ''}\0`
  return from === undefined ? `create ${ref}\0${to}\0` : `update ${ref}\0${to}\0${from}\0`
}

async function hears({ output }: PipedProcess, word: string): Promise<boolean> {
  for (let heard = ''; ; ) {
    const { value, done } = await output.read()
    if (done) return false
    heard += Buffer.from(value).toString('latin1')
    if (heard.includes(word)) return true
  }
}

function moveFailure(ended: { code: number; stderr: string }): EntireError {
  if (!/cannot lock ref|reference already exists/.test(ended.stderr)) return gitFailure(['update-ref'], ended)
  return new EntireError('ref-moved', `A ref changed while it was being written: ${ended.stderr.trim()}`, {
    hint: 'Run the command again.',
  })
}
