// Tells the agent's changes of a file from the person's: a rewind takes back the first and keeps the second.
//
// The steps since the target say who did what: a turn's step is the agent's work, a step before a turn is the
// person's, and so is what has changed since the last step, unless a turn is running.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isInfrastructure } from '../checkpoints/layout.ts'
import { turnAfter } from '../checkpoints/step.ts'
import { git } from '../git/exec.ts'
import { readLog } from '../git/log.ts'
import type { Oid } from '../git/oid.ts'
import { type FileEntry, linkMode } from '../git/tree.ts'
import { type ChangedFile, changedFiles } from '../git/tree-diff.ts'
import { temporaryDir } from '../sessions/places.ts'
import { encodePath } from '../std/encoding.ts'
import { findUnchanged, isFileLike, readTreeEntries } from './disk.ts'
import type { LockedWorktree } from './locked-worktree.ts'

export interface TakenBack {
  /** Files that only the person has changed since the target: they stay. */
  personal: Set<string>
  /** Files that both have changed: the agent's changes are taken out, the person's are still in. */
  merged: Map<string, FileEntry>
  /** Files that both have changed in the same place: the target's content wins. */
  conflicts: string[]
}

export interface WorkSince {
  /** The last step. */
  tip: Oid
  /** The commit that the first step began at. */
  base: Oid
  target: Oid
  /** A turn is running: what has changed since the last step is the agent's work. */
  isTurnRunning: boolean
}

/** Undefined when the target is not among the steps that led to the tip: then nobody knows who did what. */
export async function takeBack(
  worktree: LockedWorktree,
  since: WorkSince,
  paths: string[],
): Promise<TakenBack | undefined> {
  const works = await readWorks(worktree, since)
  if (works === undefined) return undefined
  const changedSinceTip = since.isTurnRunning
    ? new Set<string>()
    : await findChangedSinceTip(worktree, since, paths)
  const taken: TakenBack = { personal: new Set(), merged: new Map(), conflicts: [] }
  for (const path of paths) {
    const ofAgent = works.filter(({ isPersonal, changes }) => !isPersonal && changes.has(path))
    const isPersonal =
      changedSinceTip.has(path) || works.some((work) => work.isPersonal && work.changes.has(path))
    if (ofAgent.length === 0) {
      if (isPersonal) taken.personal.add(path)
    } else if (isPersonal) await mergePath(worktree, path, { ofAgent, target: since.target, taken })
  }
  return taken
}

/** What one step changed. */
interface Work {
  isPersonal: boolean
  changes: Map<string, ChangedFile>
}

// More steps than anyone makes between two commits.
const mostSteps = 1_000

/** Newest first. */
async function readWorks(
  { recorder, git: { objects } }: LockedWorktree,
  { tip, base, target }: WorkSince,
): Promise<Work[] | undefined> {
  const steps = await readLog(recorder.repo, [`-${mostSteps}`, '--first-parent', tip, `^${target}`])
  const first = steps.at(-1)
  if ((first === undefined ? tip : (first.parents[0] ?? base)) !== target) return undefined
  return await Promise.all(
    steps.map(async (step) => {
      const [from, to] = [`${step.parents[0] ?? base}^{tree}`, `${step.oid}^{tree}`]
      const files = await changedFiles(objects, from, to, isInfrastructure)
      return {
        isPersonal: turnAfter(step.message) !== undefined,
        changes: new Map(files.map((file) => [file.path, file])),
      }
    }),
  )
}

// The turn after the last state before one may have been a commit, whose work is the agent's.
async function findChangedSinceTip(
  worktree: LockedWorktree,
  { tip, base }: WorkSince,
  paths: string[],
): Promise<Set<string>> {
  const changed = await findChanged(worktree, tip, paths)
  const last = (await worktree.git.objects.contents(tip))?.content.toString('utf8') ?? ''
  return turnAfter(last) === undefined ? changed : await findChanged(worktree, base, [...changed])
}

/** The paths that are on disk otherwise than in the step. */
async function findChanged(
  { recorder, git: { objects }, disk }: LockedWorktree,
  step: Oid,
  paths: string[],
): Promise<Set<string>> {
  const entries = await readTreeEntries(objects, step, paths)
  const unchanged = await findUnchanged(recorder.repo, disk, entries)
  return new Set(
    paths.filter((path) => (entries.has(path) ? !unchanged.has(path) : isFileLike(disk.at(path)))),
  )
}

interface Merge {
  /** The agent's changes of the file, newest first. */
  ofAgent: Work[]
  target: Oid
  taken: TakenBack
}

async function mergePath(
  worktree: LockedWorktree,
  path: string,
  { ofAgent, target, taken }: Merge,
): Promise<void> {
  const { objects } = worktree.git
  const goal = (await readTreeEntries(objects, target, [path])).get(path)
  let present = await storeFile(worktree, path)
  for (const { changes } of ofAgent) {
    const { before, after } = changes.get(path) ?? {}
    const undone = await undoChange(worktree, { before, after, present })
    if (undone === 'conflict') return void taken.conflicts.push(path)
    present = undone
  }
  // Where nothing of the person is left, the target is what is wanted.
  if (present === goal?.oid || present === undefined) return
  taken.merged.set(path, { mode: goal?.mode ?? modeOnDisk(worktree, path), oid: present })
}

/** The content on disk as git would store it; undefined for anything but a file. */
async function storeFile(
  { recorder: { repo }, disk }: LockedWorktree,
  path: string,
): Promise<Oid | undefined> {
  if (disk.at(path).kind !== 'file' || path.includes('\n')) return undefined
  const { stdout } = await git(repo, ['hash-object', '-w', '--stdin-paths'], {
    stdin: Buffer.concat([encodePath(path), Buffer.from('\n')]),
    accept: [128],
  })
  return stdout.toString('latin1').trim() || undefined
}

function modeOnDisk({ disk }: LockedWorktree, path: string): string {
  const found = disk.at(path)
  if (found.kind === 'link') return linkMode
  return found.kind === 'file' && (found.mode & 0o100) !== 0 ? '100755' : '100644'
}

interface FileChange {
  before: Oid | undefined
  after: Oid | undefined
  /** The file as it is, with later changes. */
  present: Oid | undefined
}

/** Takes one change out of the present content, and leaves the later ones in. */
async function undoChange(
  worktree: LockedWorktree,
  { before, after, present }: FileChange,
): Promise<Oid | undefined | 'conflict'> {
  if (present === after) return before
  if (present === before) return present
  if (before === undefined || after === undefined || present === undefined) return 'conflict'
  const contents = await Promise.all(
    [present, after, before].map(async (oid) => (await worktree.git.objects.contents(oid))?.content),
  )
  return contents.some((content) => content === undefined)
    ? 'conflict'
    : await mergeContents(worktree, contents as Buffer[])
}

// https://git-scm.com/docs/git-merge-file
async function mergeContents(
  { recorder: { repo } }: LockedWorktree,
  contents: Buffer[],
): Promise<Oid | 'conflict'> {
  const dir = join(temporaryDir(repo), 'merge')
  const files = ['present', 'base', 'wanted'].map((name) => join(dir, name))
  mkdirSync(dir, { recursive: true })
  try {
    for (const [index, file] of files.entries()) writeFileSync(file, contents[index] ?? '')
    // Any other code counts the conflicts, or says that a file is binary.
    const codes = Array.from({ length: 255 }, (_, index) => index + 1)
    const merged = await git(repo, ['merge-file', '--quiet', '--stdout', ...files], { accept: codes })
    if (merged.code !== 0) return 'conflict'
    const { stdout } = await git(repo, ['hash-object', '-w', '--stdin'], { stdin: merged.stdout })
    return stdout.toString('latin1').trim()
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
