// From what a person typed to what is meant: a branch, a session or a checkpoint, in this order.
import { isShadowRef, metadataBranch } from '../../checkpoints/layout.ts'
import { findCheckpointIds, readCheckpoint } from '../../checkpoints/read.ts'
import { listRefs } from '../../git/refs.ts'
import { isCheckpointId } from '../../model/checkpoint.ts'
import { isPlainId } from '../../session/restore-place.ts'
import { findSessionIds } from '../../session/resume-session.ts'
import { EntireError } from '../../std/errors.ts'
import { clean } from '../render/text.ts'
import type { BranchTarget } from './branch.ts'
import { fetchMissing, type Run } from './run.ts'
import type { CheckpointTarget, SessionTarget } from './stored.ts'

export type Target = BranchTarget | SessionTarget | CheckpointTarget

// Shorter beginnings mean nothing.
const shortestPrefix = 4

export async function findTarget(run: Run, typed: string): Promise<Target> {
  const branch = await findBranch(run, typed)
  if (branch !== undefined) return branch
  const [sessions, checkpoints] = await Promise.all([findSessions(run, typed), findCheckpoints(run, typed)])
  const exact = [...sessions, ...checkpoints].find(({ id }) => id === typed)
  const [first, ...others] = exact === undefined ? [...sessions, ...checkpoints] : [exact]
  if (others.length > 0 && first !== undefined) throw ambiguous(typed, [first, ...others])
  if (first !== undefined) return first
  if (isCheckpointId(typed) && (await fetchMissing(run, typed))) return { kind: 'checkpoint', id: typed }
  throw notFound(typed)
}

export async function findSession(run: Run, typed: string): Promise<SessionTarget> {
  const found = await findSessions(run, typed)
  const [first, ...others] = found.filter(({ id }) => id === typed).concat(found)
  if (first === undefined)
    throw new EntireError('not-found', `Session not found: ${clean(typed)}`, { hint: '`entire session list` shows the sessions.' })
  if (first.id !== typed && others.length > 0) throw ambiguous(typed, found)
  return first
}

// Patterns of `for-each-ref` are globs, so what it gives is compared again. Our own branches hold no work of anybody's.
async function findBranch({ repo }: Run, typed: string): Promise<BranchTarget | undefined> {
  const name = typed.replace(/^origin\/(?=.)/, '')
  if (name === '' || name.startsWith('-') || name === metadataBranch || isShadowRef(`refs/heads/${name}`)) return undefined
  const [local, remote] = [`refs/heads/${name}`, `refs/remotes/origin/${name}`]
  const refs = (await listRefs(repo, `refs/heads/${typed}`, local, remote)).map(({ ref }) => ref)
  if (refs.includes(`refs/heads/${typed}`)) return { kind: 'branch', name: typed, isLocal: true }
  return refs.includes(local) || refs.includes(remote) ? { kind: 'branch', name, isLocal: refs.includes(local) } : undefined
}

async function findSessions({ repo, objects }: Run, typed: string): Promise<SessionTarget[]> {
  if (typed.length < shortestPrefix || !isPlainId(typed)) return []
  return (await findSessionIds(repo, objects, typed)).map((id) => ({ kind: 'session', id }))
}

async function findCheckpoints({ repo, objects }: Run, typed: string): Promise<CheckpointTarget[]> {
  if (!/^[0-9A-Za-z]{4,26}$/.test(typed)) return []
  const isStored = isCheckpointId(typed) && (await readCheckpoint(objects, typed)) !== undefined
  const ids = isStored ? [typed] : await findCheckpointIds(repo, objects, typed)
  return ids.map((id) => ({ kind: 'checkpoint', id }))
}

function notFound(typed: string): EntireError {
  return new EntireError('not-found', `branch '${clean(typed)}' not found locally or on origin`, {
    hint: 'No session or checkpoint has this id either. `git fetch` gets the branches of others; `entire resume` alone lists what can be resumed.',
  })
}

function ambiguous(typed: string, found: (SessionTarget | CheckpointTarget)[]): EntireError {
  const names = found.slice(0, 5).map(({ kind, id }) => `${kind} ${clean(id)}`)
  const more = found.length > names.length ? ', …' : ''
  return new EntireError('bad-id', `"${clean(typed)}" could be ${names.join(', ')}${more}`, { hint: 'Type more of the id.' })
}
