// Saves the state before a turn as a step, if the work tree differs from the last one: what the agent then
// overwrites or deletes can be brought back, though nobody has committed it. What lies between the last step and
// this state is what the person changed.

import { countableText, measurePrompt } from '../checkpoints/attribution.ts'
import { isInfrastructure, sessionDir } from '../checkpoints/layout.ts'
import { leftOutChange } from '../checkpoints/left-out.ts'
import { hasOid, unchangedFinder } from '../checkpoints/snapshot.ts'
import { beforeTurnMessage, findAgentStep, type StepSite, writeStep } from '../checkpoints/step.ts'
import { beforeSubject } from '../checkpoints/step-subject.ts'
import type { TreeChange } from '../git/fast-import.ts'
import { blobOid, fileOid, type Oid } from '../git/oid.ts'
import type { Status } from '../git/status.ts'
import { type FileEntry, readTreeEntries } from '../git/tree.ts'
import { differingPaths } from '../git/tree-diff.ts'
import type { PromptAttribution } from '../model/session.ts'
import type { EventWork } from '../sessions/event-work.ts'
import type { RecordedStatus } from '../sessions/git-session.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import { fileSize, readBytes } from '../std/file.ts'
import { prefetch } from '../std/prefetch.ts'
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

interface StateBefore {
  /** A commit whose tree is the state before the turn; undefined when a step was saved, which names the turn. */
  before?: string
  /** What the person changed since the last step of an agent. */
  edits: PromptAttribution
}

/** Its failure never keeps the turn from beginning. */
export async function saveStateBefore(work: EventWork, status: RecordedStatus): Promise<StateBefore> {
  const { recorder, session, live } = work
  const known = { lastStep: live.lastStep, base: session.baseCommit }
  const state: StateBefore = { edits: measurePrompt(session.stepCount + 1, [], false) }
  try {
    await saveIfChanged(work, status, state)
  } catch (error) {
    if (error instanceof EntireError && error.code === 'ref-moved') throw error
    if (known.lastStep === undefined) delete live.lastStep
    else live.lastStep = known.lastStep
    session.baseCommit = known.base
    recorder.log.write('warn', `the state before the turn is not saved: ${messageOf(error)}`, {
      session_id: session.id,
    })
    recorder.say('[entire] The state before this turn could not be saved.')
  }
  return state
}

async function saveIfChanged(work: EventWork, status: RecordedStatus, state: StateBefore): Promise<void> {
  const { head } = status
  // A turn whose end was not reported may have been saved by the same event.
  await work.commit()
  if (dirtyPaths(status).length === 0 && !mayDiffer(work, head)) {
    state.before = head
    return
  }
  if (hasNew(work, status)) work.prefetch('writes', 'config')
  const site = await stepSiteFor(work, head)
  const snapshot = await snapshotWorktree(work, site, status, { mostUntracked })
  const measuring = prefetch(measureEdits(work, status, site, snapshot))
  try {
    if (await differsFromLast(work, site, snapshot)) return await write(work, site, snapshot)
    remember(work, site, undefined, snapshot)
    state.before = site.moved === undefined ? (site.parent?.commit ?? head) : head
  } finally {
    state.edits = await measuring
  }
}

/** True when the last step may hold something else than HEAD: git need not be asked otherwise. */
function mayDiffer({ live: { lastStep, sessions }, session }: EventWork, head: Oid): boolean {
  if (lastStep?.head === head) return Object.keys(lastStep.files).length > 0
  // HEAD has moved, by a commit or to another branch; or steps were carried over a commit.
  return session.baseCommit !== head || [...sessions.values()].some(({ files }) => files.length > 0)
}

// Git's import takes as long to start as the questions about the last step take to be answered.
function hasNew({ recorder, live }: EventWork, status: Status): boolean {
  const isUnchanged = unchangedFinder(recorder.repo, live.lastStep?.files ?? {})
  return dirtyPaths(status).some((path) => !isUnchanged(path))
}

// Lines are counted in files that people write; larger ones are generated.
const maxBytes = 1024 * 1024

/**
 * Compares the state before the turn with the last step of an agent, or with the commit that the session began at.
 */
async function measureEdits(
  { session, objects }: EventWork,
  status: Status,
  { parent, moved }: StepSite,
  { changes }: StepSnapshot,
): Promise<PromptAttribution> {
  const { baseCommit, stepCount } = session
  const last = moved?.commit ?? parent?.commit
  const step = stepCount > 0 && last !== undefined ? await findAgentStep(objects, last) : undefined
  const reference = step?.oid ?? baseCommit
  const changed = new Map(changes.map((change) => [change.path, change]))
  const find = async (name: string): Promise<Blob | undefined> => {
    const info = await objects.info(name)
    if (info?.type !== 'blob') return undefined
    return { ...info, read: async () => (await objects.contents(info.oid))?.content }
  }
  // What has not changed since the last step is in its tree.
  const findBefore = async (path: string): Promise<Blob | undefined> => {
    const change = changed.get(path)
    if (change === undefined) return parent && (await find(`${parent.commit}:${path}`))
    if ('oid' in change) return await find(change.oid)
    if ('file' in change) return findFile(change.file, baseCommit)
    if (!('content' in change)) return undefined
    const content = Buffer.from(change.content)
    return { oid: blobOid(content, baseCommit), size: content.length, read: async () => content }
  }
  const isKept = (path: string) => reference === parent?.commit && !changed.has(path)
  const paths = dirtyPaths(status).filter((path) => !isKept(path))
  const files = await Promise.all(
    paths.map(async (path) => {
      const blobs = await Promise.all([
        findBefore(path),
        find(`${reference}:${path}`),
        step && find(`${baseCommit}:${path}`),
      ])
      const [before, stored] = blobs
      if (before?.oid === stored?.oid || blobs.some((blob) => (blob?.size ?? 0) > maxBytes)) return []
      const texts = await Promise.all(blobs.map(async (blob) => countableText(await blob?.read())))
      const [worktree = '', referenceText = '', base = ''] = texts
      return [{ path, worktree, reference: referenceText, base }]
    }),
  )
  return measurePrompt(stepCount + 1, files.flat(), step !== undefined)
}

interface Blob {
  oid: string
  size: number
  read(): Promise<Buffer | undefined>
}

/** A large file is hashed in pieces, and read only if its lines are counted. */
function findFile(file: string | Buffer, sample: string): Blob | undefined {
  const size = fileSize(file)
  if (size === undefined) return undefined
  const oid = size > maxBytes ? '' : (fileOid(file, sample) ?? '')
  return { oid, size, read: async () => readBytes(file) }
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
  if (changes.length > 0 && moved !== undefined) return true
  if (parent === undefined) return changes.length > 0
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
  if ('file' in change) return hasOid(change.file, entry.oid)
  return ('oid' in change ? change.oid : blobOid(change.content, sample)) === entry.oid
}
