// Saves what a rewind, a reset or an undo is about to replace, as a commit that the next undo restores, and
// keeps the order of undo and redo: two stacks of safety steps in a file of the work tree.

import { join } from 'node:path'
import type { ObjectReader } from '../git/cat-file.ts'
import type { FileMode, TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { linkMode } from '../git/tree.ts'
import { newKeptRef, undoPrefixOf } from '../sessions/kept-refs.ts'
import { retrying } from '../sessions/save.ts'
import { EntireError } from '../std/errors.ts'
import { readText, writeAtomic } from '../std/file.ts'
import { given } from '../std/given.ts'
import {
  asArray,
  asNumber,
  asObject,
  asString,
  asStrings,
  type Json,
  type JsonObject,
  parseJson,
} from '../std/json.ts'
import { type Disk, isFileLike } from './disk.ts'
import type { LockedWorktree } from './locked-worktree.ts'
import { asSavedLog, type SavedLog } from './saved-log.ts'
import { asSavedSession, formatSavedSession, type SavedSession } from './sessions.ts'
import type { RawFile } from './write-files.ts'

/** A ref before and after the change. */
export interface RefChange {
  ref: string
  before: Oid
  after: Oid
}

export interface SafetyContent {
  kind: 'rewind' | 'reset' | 'undo' | 'redo'
  /** HEAD before the change. */
  base: Oid
  /** Files to write back byte for byte, and paths to delete, to restore the saved state. */
  restore: RawFile[]
  remove: string[]
  /** Clean files that are too large for a copy: they are restored from `base`. */
  committed: string[]
  shadow?: RefChange
  /** The branch, or `HEAD` where it was detached. */
  head?: RefChange
  /** The index is saved, too. */
  hasIndex: boolean
  sessions: SavedSession[]
  logs: SavedLog[]
}

export interface SafetyStep extends SafetyContent {
  oid: Oid
}

const ownDir = '.entire/undo'
const recordPath = `${ownDir}/record.json`
export const indexPath = `${ownDir}/index`

/** What the safety step saves besides the files. */
export interface AlsoSaved {
  index?: Buffer
  staged?: Oid[]
  /** Commits that may become unreachable by the change. */
  commits: Oid[]
}

/** Saves everything at `paths` as it is on disk. */
export async function saveSafety(
  { recorder, git, disk }: LockedWorktree,
  what: Omit<SafetyContent, 'restore' | 'remove' | 'hasIndex' | 'base'> & { paths: string[] },
  also: AlsoSaved,
): Promise<SafetyStep> {
  const [head, tree, config] = await Promise.all([
    git.objects.info('HEAD'),
    git.objects.info('HEAD^{tree}'),
    git.config(),
  ])
  const { paths, ...rest } = what
  const { changes, ...files } = readFiles(disk, paths)
  const content: SafetyContent = {
    ...rest,
    base: head?.oid ?? '',
    ...files,
    hasIndex: also.index !== undefined,
  }
  const staged = [...new Set(also.staged)].map((oid, index) => ({
    path: `${ownDir}/staged/${index}`,
    mode: '100644' as const,
    oid,
  }))
  let oid = ''
  // A save that was killed may have begun the same pack: then git refuses once.
  await retrying(async () => {
    const mark = git.writes().commit({
      // A ref of its own: an old safety step can expire without the newer ones.
      ref: newKeptRef(recorder, undoPrefixOf(recorder.repo)),
      parent: undefined,
      mergeParents: also.commits,
      message: `Work tree before ${what.kind}\n`,
      author: config.author,
      seconds: Math.floor(recorder.clock().getTime() / 1000),
      changes: [
        { path: '', mode: '040000', oid: tree?.oid ?? '' },
        ...changes,
        { path: ownDir, deleted: true },
        { path: recordPath, mode: '100644', content: Buffer.from(JSON.stringify(formatRecord(content))) },
        ...(also.index === undefined
          ? []
          : [{ path: indexPath, mode: '100644' as const, content: also.index }]),
        ...staged,
      ],
    })
    oid = await git.writes().oidOf(mark)
    await git.commit()
  })
  return { ...content, oid }
}

function readFiles(
  disk: Disk,
  paths: string[],
): Pick<SafetyContent, 'restore' | 'remove'> & { changes: TreeChange[] } {
  const restore: RawFile[] = []
  const remove: string[] = []
  const changes: TreeChange[] = []
  for (const path of new Set(paths)) {
    const found = disk.at(path)
    if (!isFileLike(found)) {
      remove.push(path)
      continue
    }
    const content = disk.read(path)
    if (content === undefined)
      throw new EntireError('write-failed', `${path} cannot be copied, so nothing was changed.`, {
        hint: 'Move it away and try again.',
      })
    const mode = found.kind === 'file' ? found.mode : undefined
    restore.push({ path, mode })
    changes.push({ path, mode: treeMode(mode), content })
  }
  // Deletions first: a file may have become a directory.
  return {
    restore,
    remove,
    changes: [...remove.map((path) => ({ path, deleted: true as const })), ...changes],
  }
}

function treeMode(mode: number | undefined): FileMode {
  if (mode === undefined) return linkMode
  return (mode & 0o111) === 0 ? '100644' : '100755'
}

function formatRecord(content: SafetyContent): Json {
  const { restore, hasIndex, sessions, ...rest } = content
  return {
    ...(rest as unknown as JsonObject),
    has_index: hasIndex,
    sessions: sessions.map(formatSavedSession),
    restore: restore.map(({ path, mode }) => (mode === undefined ? { path } : { path, mode })),
  }
}

export async function readSafety(objects: ObjectReader, oid: Oid): Promise<SafetyStep | undefined> {
  const file = await objects.contents(`${oid}:${recordPath}`)
  const record = asObject(parseJson(file?.content.toString('utf8') ?? ''))
  return record && { oid, ...parseRecord(record) }
}

const kinds = ['rewind', 'reset', 'undo', 'redo'] as const

function parseRecord(record: JsonObject): SafetyContent {
  const [shadow, head] = [parseChange(record.shadow), parseChange(record.head)]
  return {
    kind: kinds.find((kind) => kind === record.kind) ?? 'rewind',
    base: asString(record.base) ?? '',
    restore: asArray(record.restore).flatMap((value) => {
      const [path, mode] = [asString(asObject(value)?.path), asNumber(asObject(value)?.mode)]
      return path === undefined ? [] : [{ path, mode }]
    }),
    remove: asStrings(record.remove),
    committed: asStrings(record.committed),
    ...given({ shadow }),
    ...given({ head }),
    hasIndex: record.has_index === true,
    sessions: asArray(record.sessions).flatMap((value) => asSavedSession(value) ?? []),
    logs: asArray(record.logs).flatMap((value) => asSavedLog(value) ?? []),
  }
}

function parseChange(value: Json | undefined): RefChange | undefined {
  const record = asObject(value)
  const [ref, before, after] = [asString(record?.ref), asString(record?.before), asString(record?.after)]
  return ref === undefined || before === undefined || after === undefined ? undefined : { ref, before, after }
}

export type Direction = 'undo' | 'redo'

/** Newest first. */
export type Stacks = Record<Direction, Oid[]>

// Older safety steps leave the stack, but stay as commits until they expire.
const depth = 200

export async function readStacks(repo: Repo): Promise<Stacks> {
  const record = asObject(parseJson(readText(stackFile(repo)) ?? ''))
  if (record !== undefined) return { undo: asStrings(record.undo), redo: asStrings(record.redo) }
  // Without the file, every safety step can be undone. Names of refs hold the time, so the newest comes last.
  const steps = await listRefs(repo, `${undoPrefixOf(repo)}*`)
  return { undo: steps.map(({ oid }) => oid).reverse(), redo: [] }
}

export function writeStacks(repo: Repo, { undo, redo }: Stacks): void {
  writeAtomic(stackFile(repo), JSON.stringify({ undo: undo.slice(0, depth), redo: redo.slice(0, depth) }), {
    sync: true,
  })
}

/** The stacks after a new rewind. What could be redone before it moves below it on the undo stack. */
export function pushUndo({ undo, redo }: Stacks, step: Oid): Stacks {
  return { undo: [step, ...redo, ...undo], redo: [] }
}

/** The first safety step of a stack that git still has, and the stack below it. */
export async function popSafetyStep(
  objects: ObjectReader,
  stack: Oid[],
): Promise<{ target: SafetyStep; rest: Oid[] } | undefined> {
  for (const [index, oid] of stack.entries()) {
    const target = await readSafety(objects, oid)
    if (target !== undefined) return { target, rest: stack.slice(index + 1) }
  }
  return undefined
}

function stackFile(repo: Repo): string {
  return join(repo.gitDir, 'entire-undo.json')
}
