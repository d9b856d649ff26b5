// Subagents: a step when one finishes, and one for each item of its to-do list on the way.
import { shadowRef, taskDir } from '../checkpoints/layout.ts'
import { readSnapshot } from '../checkpoints/snapshot.ts'
import { findStepSite, type StepSite, stepMessage, writeStep } from '../checkpoints/step.ts'
import { incrementalSubject, taskSubject, todoText } from '../checkpoints/step-subject.ts'
import type { TreeChange } from '../git/fast-import.ts'
import type { Status } from '../git/status.ts'
import { readTree } from '../git/tree.ts'
import { findActiveTask, readPrePrompt, readPreTask, removePreTask, writePreTask } from './pre-prompt.ts'
import { moveBase, pathsToStore } from './save-step.ts'
import { finalFiles, incrementalFile, readSubagentFiles } from './task-files.ts'
import { findTouched } from './turn-changes.ts'
import type { Work } from './work.ts'

export async function beginTask({ recorder, event, status }: Work): Promise<void> {
  if (event.toolUse === undefined) return
  const { untracked, deleted } = await status()
  writePreTask(recorder.repo, event.toolUse, { at: recorder.clock().getTime(), untracked, deleted, position: 0, bytes: 0 })
}

/** Returns whether the session changed. */
export async function saveTask(work: Work): Promise<boolean> {
  const { recorder, event, session } = work
  const isFinal = event.final !== false
  const task = isFinal ? (event.toolUse ?? event.subagent) : findActiveTask(recorder.repo)
  if (task === undefined) return false
  const status = await work.status()
  if (status.head === undefined) return false
  if (session.baseCommit === '') session.baseCommit = session.attributionBase = status.head
  const touched = isFinal ? finalChanges(work, status, task) : allChanges(work, status)
  if (isFinal) work.afterwards.push(() => removePreTask(recorder.repo, task))
  if (touched.length === 0) {
    recorder.say('[entire] No file changes detected, skipping task checkpoint')
    return false
  }
  const site = await findStepSite(work.objects, {
    head: status.head,
    ref: shadowRef(status.head, session.worktreeId),
    oldRef: shadowRef(session.baseCommit, session.worktreeId),
  })
  const startedAt = recorder.clock().getTime()
  const { subject, files } = isFinal ? await finalStep(work, site, task) : await incrementalStep(work, site, task)
  const config = await work.config()
  const snapshot = await readSnapshot(recorder.repo, pathsToStore(work, site, status), config)
  await writeStep(work.objects, work.writes(), {
    site,
    message: stepMessage(subject, session.id, 'manual-commit', taskDir(session.id, task)),
    author: config.author,
    seconds: Math.floor(startedAt / 1000),
    changes: [...snapshot.changes, ...files],
  })
  moveBase(work, site)
  session.lastStepAt = startedAt
  session.filesTouched = [...new Set([...session.filesTouched, ...touched])].sort()
  return true
}

interface TaskStep {
  subject: string
  files: TreeChange[]
}

async function finalStep(work: Work, site: StepSite, task: string): Promise<TaskStep> {
  const { event } = work
  return {
    subject: taskSubject({ toolUse: task, type: event.subagentType, description: event.taskDescription }),
    files: await finalFiles(work, site, task),
  }
}

async function incrementalStep(work: Work, site: StepSite, task: string): Promise<TaskStep> {
  const { recorder, event, session } = work
  const earlier = site.parent && (await readTree(work.objects, `${site.parent.commit}:${taskDir(session.id, task)}/checkpoints`))
  const sequence = (earlier?.length ?? 0) + 1
  const toolName = event.toolName ?? 'TodoWrite'
  recorder.say(`[entire] Created incremental checkpoint #${sequence} for ${toolName} (task: ${task.slice(0, 12)})`)
  return {
    subject: incrementalSubject({ toolUse: task, sequence, todo: todoText(event.toolInput) }),
    files: [incrementalFile(work, task, sequence)],
  }
}

function finalChanges(work: Work, status: Status, task: string): string[] {
  const { repo } = work.recorder
  const before = readPreTask(repo, task) ?? readPrePrompt(repo, work.session.id)
  return findTouched(repo, status, before, readSubagentFiles(work))
}

function allChanges(work: Work, status: Status): string[] {
  return findTouched(work.recorder.repo, status, undefined, [...status.modified])
}
