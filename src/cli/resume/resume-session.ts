// Resuming without a branch: one session, or all sessions of a checkpoint. The work tree stays as it is.

import { fetchCommand } from '../../checkpoints/copies.ts'
import { readCheckpoint, type StoredCheckpoint } from '../../checkpoints/read.ts'
import { readBranches } from '../../git/branches.ts'
import { findLastCheckpoint } from '../../resume/find.ts'
import { asRestoredLog, planRestore, type RestoredLog } from '../../resume/restore-logs.ts'
import { findLogPath } from '../../resume/write-log.ts'
import { readSession } from '../../sessions/store.ts'
import { EntireError } from '../../std/errors.ts'
import { exists } from '../../std/file.ts'
import { clean } from '../render/text.ts'
import { fetchMissing, finishRestore, prepareRestore, type ResumeRun, report, tell } from './restore.ts'

export interface CheckpointTarget {
  kind: 'checkpoint'
  id: string
}

export interface SessionTarget {
  kind: 'session'
  id: string
}

export async function resumeCheckpoint(run: ResumeRun, { id }: CheckpointTarget): Promise<void> {
  const checkpoint = await readOrFetch(run, id)
  if (checkpoint === undefined) throw new EntireError('not-found', `checkpoint not found: ${clean(id)}`)
  await noteBranch(run, checkpoint)
  const prepared = await prepareRestore(run, checkpoint)
  if (prepared !== undefined) await finishRestore(run, prepared)
}

/** A log that went on here after the last checkpoint is what the person wants to continue: it is kept, unless --force says otherwise. */
export async function resumeSession(run: ResumeRun, { id }: SessionTarget): Promise<void> {
  const last = await findLastCheckpoint(run.repo, run.objects, id)
  const checkpoint = last === undefined ? undefined : await readOrFetch(run, last)
  const sessions = checkpoint?.sessions.filter(({ session }) => session === id) ?? []
  if (checkpoint === undefined || sessions.length === 0) return resumeLocal(run, id)
  const plan = await planRestore(run.recorder, run.objects, { ...checkpoint, sessions }).catch(asLost)
  if (plan instanceof EntireError) {
    const note = `The log of checkpoint ${checkpoint.checkpoint} is lost. Going on with the one on this machine.`
    if (await resumeIfLocal(run, id, note)) return
    throw plan
  }
  if (plan.logs.length === 0 && (await resumeIfLocal(run, id))) return
  for (const warning of plan.warnings) run.cli.note(`Warning: ${clean(warning)}`)
  await noteBranch(run, checkpoint)
  if (run.flags.force || plan.logs.every(({ state }) => state !== 'local-newer'))
    return finishRestore(run, { checkpoint, plan })
  tell(run, `The log on this machine is newer than checkpoint ${checkpoint.checkpoint}, and is kept.`)
  report(run, {
    branch: undefined,
    checkpoint: checkpoint.checkpoint,
    logs: await Promise.all(plan.logs.map(asRestoredLog)),
  })
}

function asLost(error: unknown): EntireError {
  if (error instanceof EntireError && error.code === 'transcript-missing') return error
  throw error
}

async function resumeLocal(run: ResumeRun, id: string): Promise<void> {
  if (await resumeIfLocal(run, id)) return
  throw new EntireError(
    'transcript-missing',
    `Session ${clean(id)} has no checkpoint, and its log is not on this machine.`,
    {
      hint: `Checkpoints are written with commits. Those of others must be fetched first: \`${fetchCommand}\`.`,
    },
  )
}

/** Where the log is still here there is nothing to restore. */
async function resumeIfLocal(run: ResumeRun, id: string, ...notes: string[]): Promise<boolean> {
  const state = readSession(run.repo, id)
  const agent = state && (await run.recorder.findAgentByType(state.agentType))
  const path = agent && (await findLogPath(run.recorder, agent, id))
  if (agent === undefined || path === undefined || !exists(path)) return false
  const log: RestoredLog = {
    session: id,
    agent: agent.type,
    path,
    prompt: state?.firstPrompt,
    command: await agent.resume?.command(id),
    state: 'unchanged',
  }
  tell(run, ...notes)
  report(run, { branch: undefined, checkpoint: state?.lastCheckpoint, logs: [log] })
  return true
}

async function readOrFetch(run: ResumeRun, id: string): Promise<StoredCheckpoint | undefined> {
  const stored = await readCheckpoint(run.objects, id)
  if (stored !== undefined) return stored
  return (await fetchMissing(run, id)) ? readCheckpoint(run.objects, id) : undefined
}

async function noteBranch(run: ResumeRun, { branch }: StoredCheckpoint): Promise<void> {
  if (branch === undefined || run.flags.json) return
  const { current } = await readBranches(run.repo)
  if (current !== branch)
    tell(run, `Recorded on branch '${clean(branch)}'; you are on '${clean(current ?? 'a detached HEAD')}'.`)
}
