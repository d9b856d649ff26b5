// Saves the work of a subagent: a step when it finishes, and one for each item of its to-do list before that.

import { closeSync, readSync } from 'node:fs'
import { taskDir } from '../checkpoints/layout.ts'
import { leftOutChange } from '../checkpoints/left-out.ts'
import { stepMessage, transcriptChanges, writeStep } from '../checkpoints/step.ts'
import { incrementalSubject, taskSubject, todoText } from '../checkpoints/step-subject.ts'
import { stripLines } from '../checkpoints/transcript-chunks.ts'
import type { TreeChange } from '../git/fast-import.ts'
import type { Status } from '../git/status.ts'
import type { StrategyName } from '../model/settings.ts'
import type { EventWork } from '../sessions/event-work.ts'
import { isOnlyTurn } from '../sessions/live-index.ts'
import type { Division } from '../sessions/other-turns.ts'
import { readTurnTranscript, useTranscript } from '../sessions/transcript.ts'
import { captureChanges, findTouched, toRepoPaths } from '../sessions/turn-changes.ts'
import { noteTouched } from '../sessions/turn-notes.ts'
import {
  findActiveTask,
  readTaskStart,
  readTurnStart,
  removeTaskStart,
  writeTaskStart,
} from '../sessions/turn-start-state.ts'
import { fileSize, openRegular, readText } from '../std/file.ts'
import { type Json, parseJson } from '../std/json.ts'
import { formatTime } from '../std/time.ts'
import { commitTurn } from './auto-commit.ts'
import { moveBase, remember, snapshotWorktree, stepSiteFor } from './shadow-step.ts'

export async function beginTask({ recorder, session, event, status }: EventWork): Promise<void> {
  if (event.toolUse === undefined) return
  const changes = captureChanges(recorder.repo, await status())
  writeTaskStart(recorder.repo, event.toolUse, {
    at: recorder.clock().getTime(),
    session: session.id,
    ...changes,
    position: 0,
    bytes: 0,
  })
}

/** Returns whether the session changed. */
export async function saveTask(work: EventWork): Promise<boolean> {
  const { recorder, event, session } = work
  const isFinal = event.final !== false
  const task = isFinal ? (event.toolUse ?? event.subagent) : findActiveTask(recorder.repo, session.id)
  if (task === undefined) return false
  const status = await work.status()
  if (session.baseCommit === '') session.baseCommit = session.attributionBase = status.head
  const { own: touched, shared } = await findTaskChanges(work, status, task)
  session.sharedFiles = [...session.sharedFiles, ...shared]
  if (isFinal) work.afterwards.push(() => removeTaskStart(recorder.repo, task))
  if (touched.length === 0) {
    recorder.say('[entire] No files changed in this task, so no step was saved')
    return false
  }
  const described = await (isFinal ? describeFinal(work, task) : describeIncrement(work, task))
  return saveWith[recorder.settings.strategy](work, {
    ...described,
    task,
    touched,
    status,
    head: status.head,
  })
}

interface TaskStep {
  subject: string
  files: TaskFile[]
}

async function describeFinal(work: EventWork, task: string): Promise<TaskStep> {
  const { subagentType, taskDescription = '' } = work.event
  // The description may be the prompt of the subagent.
  const description = (await work.recorder.redaction()).text(taskDescription)
  return {
    subject: taskSubject({ toolUse: task, type: subagentType, description }),
    files: await finalFiles(work, task),
  }
}

async function describeIncrement(work: EventWork, task: string): Promise<TaskStep> {
  const { recorder, event, afterwards } = work
  const before = readTaskStart(recorder.repo, task)
  const sequence = (before?.increments ?? 0) + 1
  if (before !== undefined)
    afterwards.push(() => writeTaskStart(recorder.repo, task, { ...before, increments: sequence }))
  recorder.say(
    `[entire] Saved step ${sequence} of a task for ${event.toolName ?? 'TodoWrite'} (task: ${task.slice(0, 12)})`,
  )
  return {
    subject: incrementalSubject({ toolUse: task, sequence, todo: todoText(event.toolInput) }),
    files: [await incrementalFile(work, task, sequence)],
  }
}

interface TaskSave extends TaskStep {
  task: string
  touched: string[]
  status: Status
  head: string
}

const saveWith: Record<StrategyName, (work: EventWork, save: TaskSave) => Promise<boolean>> = {
  'manual-commit': saveOnShadowBranch,
  'auto-commit': (work, { subject, files, task, touched }) =>
    commitTurn(work, {
      subject,
      files: touched,
      task: {
        toolUse: task,
        files: files.map(({ path, content }) => ({ path: `tasks/${task}/${path}`, content })),
      },
    }),
}

async function saveOnShadowBranch(
  work: EventWork,
  { subject, files, task, touched, status, head }: TaskSave,
): Promise<boolean> {
  const { recorder, session } = work
  const site = await stepSiteFor(work, head)
  const startedAt = recorder.clock().getTime()
  const transcript = await readTurnTranscript({ ...work, sampleOid: head })
  if (transcript !== undefined) useTranscript(work, transcript)
  const config = await work.config()
  const snapshot = await snapshotWorktree(work, site, status)
  const dir = taskDir(session.id, task)
  const mark = await writeStep(work.objects, work.writes(), {
    isNew: true,
    site,
    message: stepMessage(subject, session.id, 'manual-commit', dir),
    author: config.author,
    seconds: Math.floor(startedAt / 1000),
    changes: [
      ...snapshot.changes,
      ...transcriptChanges(session.id, session.cursor),
      ...files.map(({ path, content }) => textEntry(`${dir}/${path}`, { content })),
      leftOutChange(snapshot.skipped),
    ],
  })
  remember(work, site, mark, snapshot)
  moveBase(work, site)
  noteTouched(session, touched)
  return true
}

function textEntry(path: string, data: { oid: string } | { content: Buffer }): TreeChange {
  return { path, mode: '100644', ...data }
}

// Compared with the beginning of the task: files that differed before are not the subagent's work, nor those that
// another session has accounted for since.
async function findTaskChanges(work: EventWork, status: Status, task: string): Promise<Division> {
  const { repo } = work.recorder
  const { session, live } = work
  const turn = readTurnStart(repo, session.id)
  const files = readSubagentFiles(work)
  const touched = findTouched(repo, status, readTaskStart(repo, task) ?? turn, files)
  if (turn === undefined || (isOnlyTurn(live, session.id) && turn.shared === undefined))
    return { own: touched, shared: [] }
  const { divideFiles, hasChangedSince } = await import('../sessions/other-turns.ts')
  const named = new Set(toRepoPaths(repo, [...session.turnFiles, ...files]))
  const changed = touched.filter((path) => named.has(path) || hasChangedSince(repo, path, turn))
  return await divideFiles({ ...work, sampleOid: session.baseCommit }, changed, named)
}

const maxSubagentBytes = 50 * 1024 * 1024
const tailBytes = 1024 * 1024

/** Files that the subagent wrote, by its own transcript. */
function readSubagentFiles(work: EventWork): string[] {
  const text = readSubagentTranscript(work)
  return text === undefined
    ? []
    : work.agent.transcript.readLines(text.trimEnd().split('\n'), undefined).files
}

/** A file of a task, below the task's directory. */
export interface TaskFile {
  path: string
  content: Buffer
}

async function finalFiles(work: EventWork, task: string): Promise<TaskFile[]> {
  const { session, event, recorder } = work
  const text = readSubagentTranscript(work)
  const result = {
    session_id: session.id,
    tool_use_id: task,
    checkpoint_uuid: findTaskEnd(work, task) ?? '',
    agent_id: event.subagent ?? '',
  }
  return [
    ...(text === undefined || event.subagent === undefined
      ? []
      : [
          textFile(
            `agent-${event.subagent}.jsonl`,
            (await recorder.redaction()).json(stripLines(work.agent.transcript, text)),
          ),
        ]),
    textFile('checkpoint.json', JSON.stringify(result, null, 2)),
  ]
}

async function incrementalFile(
  { recorder, event }: EventWork,
  task: string,
  sequence: number,
): Promise<TaskFile> {
  const toolUse = event.toolUse ?? task
  const { json } = await recorder.redaction()
  const data =
    event.toolInput === undefined ? null : (parseJson(json(JSON.stringify(event.toolInput))) as Json)
  const record = {
    type: event.toolName ?? 'TodoWrite',
    tool_use_id: toolUse,
    timestamp: formatTime(recorder.clock()),
    data,
  }
  return textFile(
    `checkpoints/${String(sequence).padStart(3, '0')}-${toolUse}.json`,
    JSON.stringify(record, null, 2),
  )
}

function textFile(path: string, text: string): TaskFile {
  return { path, content: Buffer.from(text) }
}

function readSubagentTranscript({ agent, event, session }: EventWork): string | undefined {
  const main = session.transcriptPath
  const path =
    event.subagentTranscript ??
    (main && event.subagent ? agent.subagents?.transcriptPath(main, event.subagent) : undefined)
  const size = path === undefined ? undefined : fileSize(path)
  return path === undefined || size === undefined || size > maxSubagentBytes ? undefined : readText(path)
}

// The result has just been written, so it is near the end of the transcript.
function findTaskEnd({ agent, session }: EventWork, task: string): string | undefined {
  const size = session.transcriptPath === undefined ? undefined : fileSize(session.transcriptPath)
  if (session.transcriptPath === undefined || size === undefined) return undefined
  const buffer = Buffer.alloc(Math.min(size, tailBytes))
  const fd = openRegular(session.transcriptPath)
  try {
    readSync(fd, buffer, 0, buffer.length, size - buffer.length)
  } finally {
    closeSync(fd)
  }
  return agent.transcript.toolResultId?.(buffer.toString('utf8').split('\n'), task)
}
