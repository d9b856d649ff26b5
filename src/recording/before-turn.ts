// Saves the state before a turn as a step, if the work tree differs from the last one: what the agent then
// overwrites or deletes can be brought back, though nobody has committed it.

import { isInfrastructure, sessionDir } from '../checkpoints/layout.ts'
import { leftOutChange } from '../checkpoints/left-out.ts'
import { beforeTurnMessage, type StepSite, writeStep } from '../checkpoints/step.ts'
import { beforeSubject } from '../checkpoints/step-subject.ts'
import type { TreeChange } from '../git/fast-import.ts'
import { blobOid } from '../git/oid.ts'
import type { Status } from '../git/status.ts'
import { type FileEntry, readTreeEntries } from '../git/tree.ts'
import { differingPaths } from '../git/tree-diff.ts'
import type { EventWork } from '../sessions/event-work.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import {
  dirtyPaths,
  moveBase,
  remember,
  type StepSnapshot,
  snapshotWorktree,
  stepSiteFor,
} from './shadow-step.ts'

// The user waits for the agent to begin. More files are not what somebody wrote; the end of the turn has them.
const mostUntracked = 2_000

/**
 * Returns the commit whose tree is the state before the turn, when there is one already; undefined when a step
 * was saved, which names the turn. Its failure never keeps the turn from beginning.
 */
export async function saveStateBefore(work: EventWork, status: Status): Promise<string | undefined> {
  const { recorder, session, live } = work
  const known = { lastStep: live.lastStep, base: session.baseCommit }
  try {
    return await saveIfChanged(work, status, status.head ?? '')
  } catch (error) {
    if (error instanceof EntireError && error.code === 'ref-moved') throw error
    if (known.lastStep === undefined) delete live.lastStep
    else live.lastStep = known.lastStep
    session.baseCommit = known.base
    recorder.log.write('warn', `the state before the turn is not saved: ${messageOf(error)}`, {
      session_id: session.id,
    })
    recorder.say('[entire] The state before this turn could not be saved.')
    return undefined
  }
}

async function saveIfChanged(work: EventWork, status: Status, head: string): Promise<string | undefined> {
  if (work.recorder.settings.strategy !== 'manual-commit') return undefined
  // A turn whose end was not reported may have been saved by the same event.
  await work.commit()
  const known = work.live.lastStep
  const mayDiffer = known?.head === head && Object.keys(known.files).length > 0
  if (dirtyPaths(status).length === 0 && !mayDiffer) return head
  const site = await stepSiteFor(work, head)
  const snapshot = await snapshotWorktree(work, site, status, { mostUntracked })
  if (!(await differsFromLast(work, site, snapshot))) {
    remember(work, site, undefined, snapshot)
    return site.moved === undefined ? (site.parent?.commit ?? head) : head
  }
  await write(work, site, snapshot)
  return undefined
}

async function write(work: EventWork, site: StepSite, snapshot: StepSnapshot): Promise<void> {
  const { recorder, session, objects, event, agent } = work
  const dir = sessionDir(session.id)
  const hasMetadata =
    site.parent !== undefined && (await objects.info(`${site.parent.commit}:${dir}`)) !== undefined
  const prompt = event.prompt === undefined ? '' : (await recorder.redaction()).text(event.prompt)
  const mark = await writeStep(objects, work.writes(), {
    site,
    message: beforeTurnMessage(beforeSubject(prompt, agent.type), {
      session: session.id,
      metadata: hasMetadata ? dir : '',
      turn: session.turnId ?? '',
    }),
    author: (await work.config()).author,
    seconds: Math.floor(recorder.clock().getTime() / 1000),
    changes: [...snapshot.changes, leftOutChange(snapshot.skipped)],
    isNew: true,
  })
  remember(work, site, mark, snapshot)
  moveBase(work, site)
  await work.commit()
}

async function differsFromLast(work: EventWork, site: StepSite, { changes }: StepSnapshot): Promise<boolean> {
  const { parent, remembered, headTree, moved } = site
  const { objects } = work
  if (parent === undefined || moved !== undefined) return changes.length > 0
  const paths = changes.map(({ path }) => path)
  if (remembered === undefined) {
    const here = new Set(paths)
    const differing = await differingPaths(objects, headTree, parent.tree, isInfrastructure)
    if (differing.some((path) => !here.has(path))) return true
  }
  const entries = await readTreeEntries(objects, parent.tree, paths)
  return changes.some((change) => !isEntry(change, entries.get(change.path), parent.tree))
}

// A directory that is back is a difference.
function isEntry(change: TreeChange, entry: FileEntry | undefined, sample: string): boolean {
  if ('deleted' in change || entry === undefined) return 'deleted' in change && entry === undefined
  if (change.mode !== entry.mode || 'mark' in change) return false
  return ('oid' in change ? change.oid : blobOid(change.content, sample)) === entry.oid
}
