// Writes a step: the work tree and the session's metadata at the end of a turn, as a commit on the session's
// shadow branch.

import type { ObjectReader } from '../git/cat-file.ts'
import type { Identity } from '../git/config.ts'
import type { FastImport, TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import { readTrailer } from '../git/trailers.ts'
import type { TranscriptCursor } from '../model/session.ts'
import { chunkName, formatHash, hashName, sessionDir } from './layout.ts'

/** Where a step goes: on top of the shadow branch for HEAD, which takes over the branch of an older base. */
export interface StepSite {
  ref: string
  head: Oid
  headTree: Oid
  parent: { commit: Oid; tree: Oid; text: string } | undefined
  /** The shadow branch of an older HEAD whose steps this branch takes over. */
  moved: { ref: string; commit: Oid } | undefined
  /** What is remembered of the parent; undefined when it says nothing about the tree of this step. */
  remembered: StepMemory | undefined
}

/** What the program that made a step remembers of it, to compare the work tree with. */
export interface StepMemory extends StepMark {
  head: Oid
  /** Signatures of the paths at which the step may differ from HEAD; empty where it cannot be relied on. */
  files: Record<string, string>
  /** Files that are not in the step: they were too large, too much or unreadable. */
  leftOut: string[]
}

export async function findStepSite(
  objects: ObjectReader,
  options: { head: Oid; ref: string; oldRef: string; last: StepMemory | undefined },
): Promise<StepSite> {
  const [headTree, tip, tree, oldTip, oldTree] = await Promise.all([
    objects.info(`${options.head}^{tree}`),
    objects.contents(options.ref),
    objects.info(`${options.ref}^{tree}`),
    options.oldRef === options.ref ? undefined : objects.contents(options.oldRef),
    options.oldRef === options.ref ? undefined : objects.info(`${options.oldRef}^{tree}`),
  ])
  const describe = (commit: typeof tip, root: typeof tree) =>
    commit && root ? { commit: commit.oid, tree: root.oid, text: commit.content.toString('utf8') } : undefined
  const own = describe(tip, tree)
  const old = describe(oldTip, oldTree)
  return {
    ref: options.ref,
    head: options.head,
    headTree: headTree?.oid ?? '',
    parent: own ?? old,
    moved: old && { ref: options.oldRef, commit: old.commit },
    remembered: old === undefined && own !== undefined ? recall(options, own.text) : undefined,
  }
}

// The last step of the branch may be of another program, or a rewind may have gone back behind it; HEAD may
// have been rewritten below it. Then the next one starts from the tree of HEAD.
function recall(
  { head, last }: { head: Oid; last: StepMemory | undefined },
  text: string,
): StepMemory | undefined {
  return last !== undefined && last.head === head && isStep(text, last) ? last : undefined
}

export interface Step {
  site: StepSite
  message: string
  author: Identity
  seconds: number
  changes: TreeChange[]
  /** Known to differ from the previous step, so the trees need not be compared. */
  isNew: boolean
}

/** Identifies a step without its commit id: asking git for the id would cost as much as the whole import. */
export interface StepMark {
  parent: Oid | undefined
  seconds: number
  message: string
}

/** True when the commit with this text is the step. */
export function isStep(text: string, { parent, seconds, message }: StepMark): boolean {
  const hasParent = parent === undefined ? !/^parent /m.test(text) : text.includes(`\nparent ${parent}\n`)
  return hasParent && text.includes(` ${seconds} +0000\n`) && text.endsWith(`\n\n${message}`)
}

/** True for the commit of any step, also one of another program. */
export function isAnyStep(text: string): boolean {
  return /^Entire-Metadata(?:-Task)?: (?:\.entire\/|$)/m.test(text) && /^Entire-Session: /m.test(text)
}

/** Undefined when nothing differs from the previous step; then the branch stays where it was. */
export async function writeStep(
  objects: ObjectReader,
  writes: FastImport,
  step: Step,
): Promise<StepMark | undefined> {
  const { site } = step
  const changes =
    site.remembered === undefined ? [...(await freshTree(objects, site)), ...step.changes] : step.changes
  const mark = writes.commit({
    ref: site.ref,
    parent: site.parent?.commit,
    ...(site.moved && site.moved.commit !== site.parent?.commit ? { mergeParents: [site.moved.commit] } : {}),
    message: step.message,
    author: step.author,
    seconds: step.seconds,
    changes: await writes.storeFiles(changes),
  })
  const isNew = step.isNew || site.parent === undefined || site.moved !== undefined
  if (isNew || (await writes.treeOf(mark)) !== site.parent?.tree)
    return { parent: site.parent?.commit, seconds: step.seconds, message: step.message }
  writes.resetRef(site.ref, site.parent.commit)
  return undefined
}

// HEAD's tree with the session metadata of earlier steps.
async function freshTree(objects: ObjectReader, site: StepSite): Promise<TreeChange[]> {
  const metadata = site.parent && (await objects.info(`${site.parent.commit}:.entire/metadata`))
  return [
    { path: '', mode: '040000', oid: site.headTree },
    ...(metadata === undefined
      ? []
      : [{ path: '.entire/metadata', mode: '040000' as const, oid: metadata.oid }]),
  ]
}

export interface SessionFiles {
  transcript: StepTranscript | undefined
  prompts: string
  summary: string
  context: string
}

/** The session's metadata directory. Chunks of an older transcript are removed when there is a new one. */
export async function sessionChanges(
  objects: ObjectReader,
  session: string,
  parent: Oid | undefined,
  files: SessionFiles,
): Promise<TreeChange[]> {
  const dir = sessionDir(session)
  const tasks = await findTasks(objects, session, parent)
  const isKept = (files.transcript?.chunks.length ?? 0) === 0
  const texts = { 'prompt.txt': files.prompts, 'summary.txt': files.summary, 'context.md': files.context }
  return [
    ...(isKept ? [] : [{ path: dir, deleted: true as const }]),
    ...(tasks && !isKept ? [{ path: `${dir}/tasks`, mode: '040000' as const, oid: tasks.oid }] : []),
    ...transcriptChanges(session, files.transcript),
    ...Object.entries(texts).map(([name, text]) => ({
      path: `${dir}/${name}`,
      mode: '100644' as const,
      content: Buffer.from(text),
    })),
  ]
}

/** What the session's subagents left in the previous step. */
export async function findTasks(
  objects: ObjectReader,
  session: string,
  parent: Oid | undefined,
): Promise<{ oid: Oid } | undefined> {
  return parent === undefined ? undefined : await objects.info(`${parent}:${sessionDir(session)}/tasks`)
}

/** The digest is set when only the agent can join the chunks. */
export type StepTranscript = Pick<TranscriptCursor, 'chunks' | 'digest'>

export function transcriptChanges(session: string, transcript: StepTranscript | undefined): TreeChange[] {
  const dir = sessionDir(session)
  const hash = { path: `${dir}/${hashName}` }
  const { chunks, digest } = transcript ?? { chunks: [] }
  return [
    ...chunks.map(({ oid }, index) => ({ path: `${dir}/${chunkName(index)}`, mode: '100644' as const, oid })),
    digest === undefined
      ? { ...hash, deleted: true }
      : { ...hash, mode: '100644', content: Buffer.from(formatHash(digest)) },
  ]
}

/** The message of a step: subject and trailers, as other readers expect them. */
export function stepMessage(subject: string, session: string, strategy: string, task?: string): string {
  const metadata = task === undefined ? `Entire-Metadata: ${sessionDir(session)}` : `${taskTrailer}: ${task}`
  return `${subject}\n\n${metadata}\nEntire-Session: ${session}\nEntire-Strategy: ${strategy}\n`
}

const taskTrailer = 'Entire-Metadata-Task'

/** The directory of the task, in the message of a step or a commit of a subagent. */
export function taskDirOf(message: string): string | undefined {
  return readTrailer(message, taskTrailer)[0]
}

/** True for a step or a commit of a subagent: a part of a turn. */
export function isTask(message: string): boolean {
  return taskDirOf(message) !== undefined
}

const beforeTrailer = 'Entire-Before-Turn'

/**
 * The message of a step that holds the state before a turn: as other readers expect it, and a trailer that names
 * the turn. `metadata` is empty when the session has nothing in the tree yet.
 */
export function beforeTurnMessage(
  subject: string,
  { session, metadata, turn }: { session: string; metadata: string; turn: string },
): string {
  const trailers = `Entire-Session: ${session}\nEntire-Strategy: manual-commit\n${beforeTrailer}: ${turn}\n`
  return `${subject}\n\nEntire-Metadata: ${metadata}\n${trailers}`
}

/** The turn that the step holds the state before; undefined for the work of an agent. */
export function turnAfter(message: string): string | undefined {
  return readTrailer(message, beforeTrailer)[0]
}

/**
 * The newest step of a shadow branch that an agent made. `name`: what git was asked ahead about the tip may answer
 * questions by it.
 */
export async function findAgentStep(
  objects: ObjectReader,
  ref: string,
): Promise<{ oid: Oid; name: string } | undefined> {
  for (let name: string | undefined = ref; name !== undefined; ) {
    const step = await objects.contents(name)
    if (step === undefined) return undefined
    const text = step.content.toString('utf8')
    if (turnAfter(text) === undefined) return { oid: step.oid, name }
    name = /^parent (\w+)$/m.exec(text)?.[1]
  }
  return undefined
}
