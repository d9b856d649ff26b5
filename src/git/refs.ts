// Refs: listed in one process, and moved or deleted only from where they were seen.
import { EntireError } from '../std/errors.ts'
import { writePoint } from '../std/fault.ts'
import { git, gitConversation, gitFailure } from './exec.ts'
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

/** A process that is about to move refs. */
export interface RefMover extends Disposable {
  send(commands: string): Promise<{ code: number; stderr: string }>
}

export function openRefs(repo: Repo): RefMover {
  const conversation = gitConversation(repo, ['update-ref', '--stdin', '-z'])
  return {
    send(commands) {
      conversation.write(commands)
      return conversation.end()
    },
    // Without commands it does nothing; nobody need wait for that.
    [Symbol.dispose]: () => void conversation.end(),
  }
}

/** Moves all or none. */
export async function moveRefs(repo: Repo, moves: RefMove[], mover?: RefMover): Promise<void> {
  if (moves.length === 0) return
  writePoint()
  const commands = moves.map(({ ref, to, from }) => {
    if (to === undefined) return `${from === undefined ? 'verify' : 'delete'} ${ref}\0${from ?? ''}\0`
    return from === undefined ? `create ${ref}\0${to}\0` : `update ${ref}\0${to}\0${from}\0`
  })
  using opened = mover ?? openRefs(repo)
  const result = await opened.send(commands.join(''))
  writePoint()
  if (result.code === 0) return
  if (!/cannot lock ref|reference already exists/.test(result.stderr)) throw gitFailure(['update-ref'], result)
  throw new EntireError('ref-moved', `A ref changed while it was being written: ${result.stderr.trim()}`, {
    hint: 'Run the command again.',
  })
}
