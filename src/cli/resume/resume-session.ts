// Resumes a session, or all sessions of a checkpoint. The branch and the work tree stay as they are.

import { readCheckpoint, type StoredCheckpoint } from '../../checkpoints/read.ts'
import { readBranches } from '../../git/branches.ts'
import { findLastCheckpoint } from '../../resume/find.ts'
import { planRestore } from '../../resume/plan.ts'
import { asRestoredLog, type RestoredLog } from '../../resume/restore-logs.ts'
import { findLogPath } from '../../resume/write-log.ts'
import { readSession } from '../../sessions/store.ts'
import { EntireError, notFound } from '../../std/errors.ts'
import { exists } from '../../std/file.ts'
import { clean } from '../render/text.ts'
import { finishRestore, prepareRestore, printReport } from './restore.ts'
import { fetchMissing, noteLines, type ResumeRun } from './resume-run.ts'

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
  if (checkpoint === undefined) throw notFound('checkpoint', clean(id))
  await noteBranch(run, checkpoint)
  const prepared = await prepareRestore(run, checkpoint)
  if (prepared !== undefined) await finishRestore(run, prepared)
}

/** Keeps a local log that is newer than the last checkpoint, unless --force is given. */
export async function resumeSession(run: ResumeRun, { id }: SessionTarget): Promise<void> {
  const last = await findLastCheckpoint(run.repo, run.objects, id)
  const checkpoint = last === undefined ? undefined : await readOrFetch(run, last)
  const sessions = checkpoint?.sessions.filter(({ session }) => session === id) ?? []
  if (checkpoint === undefined || sessions.length === 0) return resumeLocal(run, id)
  const plan = await planRestore(run.recorder, run.objects, { ...checkpoint, sessions }).catch(asLost)
  if (plan instanceof EntireError) {
    const note = `The log of checkpoint ${checkpoint.checkpoint} is lost. Continuing with the local one.`
    if (await resumeIfLocal(run, id, note)) return
    throw plan
  }
  if (plan.logs.length === 0 && (await resumeIfLocal(run, id))) return
  for (const warning of plan.warnings) run.cli.note(`Warning: ${clean(warning)}`)
  await noteBranch(run, checkpoint)
  if (run.flags.force || plan.logs.every(({ state }) => state !== 'local-newer'))
    return finishRestore(run, { checkpoint, plan })
  noteLines(run, `The local log is newer than checkpoint ${checkpoint.checkpoint} and is kept.`)
  printReport(run, {
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
      hint: 'Commits create checkpoints. One that is elsewhere is fetched by its whole id: `entire resume <checkpoint>`.',
    },
  )
}

/** Reports the local log of the session; false when there is none. */
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
  noteLines(run, ...notes)
  printReport(run, { branch: undefined, checkpoint: state?.lastCheckpoint, logs: [log] })
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
    noteLines(
      run,
      `Recorded on branch '${clean(branch)}'; you are on '${clean(current ?? 'a detached HEAD')}'.`,
    )
}
