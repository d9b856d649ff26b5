// Finds the files of the program in the git directories and work trees, and says what a purge leaves of them.

import { existsSync, readdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { asidePrefix } from '../../checkpoints/purged.ts'
import { filesBelow } from '../../git/all-objects.ts'
import type { Repo } from '../../git/repo.ts'
import type { HistoryRewriter } from '../../git/rewrite-history.ts'
import { insideWorktree } from '../../sessions/places.ts'
import { listWorktrees } from '../../sessions/worktrees.ts'
import { readBytes } from '../../std/file.ts'
import { given } from '../../std/given.ts'
import { asObject, asString, asStrings, formatJson, type JsonObject, parseJson } from '../../std/json.ts'
import { mapState, placeOf } from './records.ts'
import { type PurgeTarget, withoutSecret } from './target.ts'

/** The program's own files in the git directories and work trees. Links are not followed. */
export function listOwnFiles(repo: Repo): { path: string; name: string }[] {
  const gitDirs = [
    repo.commonDir,
    ...listDir(join(repo.commonDir, 'worktrees')).map((name) => join(repo.commonDir, 'worktrees', name)),
  ]
  const inGit = gitDirs.flatMap((dir) =>
    listDir(dir)
      .filter((name) => /^(?:entire|fast_import_crash_)/.test(name) && !name.startsWith(asidePrefix))
      .filter((name) => !/^entire(?:-purged\.json|\.lock|-.*\.lock)/.test(name))
      .flatMap((name) => [...filesBelow(join(dir, name)), ...fileAt(join(dir, name))])
      .map((path) => ({ path, name: relative(dir, path) })),
  )
  const inWorktree = listWorktrees(repo).flatMap((worktree) =>
    ['.entire/metadata', '.entire/tmp', '.entire/logs']
      .flatMap((dir) => insideWorktree(worktree, dir))
      .flatMap(filesBelow)
      .map((path) => ({ path, name: relative(worktree.root, path) })),
  )
  return [...new Map([...inGit, ...inWorktree].map((file) => [file.path, file])).values()]
}

function fileAt(path: string): string[] {
  return listDir(path).length === 0 && existsSync(path) ? [path] : []
}

export function listDir(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

export interface EditedFile {
  path: string
  /** Null when the file is removed. */
  content: Buffer | null
}

export function planFiles(repo: Repo, target: PurgeTarget, rewriter: HistoryRewriter): EditedFile[] {
  return listOwnFiles(repo).flatMap(({ path, name }) => {
    const before = readBytes(path)
    const content = before && editFile(target, name, before, rewriter)
    return content === undefined ? [] : [{ path, content }]
  })
}

/**
 * The new content of a file of the program; undefined when it stays, null when it is removed. `name` is its path
 * in the git directory or in the work tree.
 */
export function editFile(
  target: PurgeTarget,
  name: string,
  content: Buffer,
  rewriter: HistoryRewriter,
): Buffer | null | undefined {
  const redacted = target.kind === 'secret' ? withoutSecret(content, target.secret) : undefined
  if (target.kind === 'session' && isFileOf(name, target.id)) return null
  const text = (redacted ?? content).toString('utf8')
  const id = target.kind === 'secret' ? undefined : target.id
  const record =
    name.endsWith('.json') && basename(name) !== 'entire-pending.json' ? asObject(parseJson(text)) : undefined
  const edited = record === undefined ? editLines(text, id) : editRecord(text, record, { name, id, rewriter })
  return edited === text ? redacted : Buffer.from(edited)
}

function isFileOf(name: string, session: string): boolean {
  const places = (part: string) => [part.indexOf(session), part.indexOf(`-${session}`) + 1]
  const isWhole = (part: string, at: number) =>
    (at === 0 || part[at - 1] === '-') && /^(?:$|[.-])/.test(part.slice(at + session.length))
  return name
    .split('/')
    .some((part) => part.includes(session) && places(part).some((at) => isWhole(part, at)))
}

// Logs and notes have a line for each event.
function editLines(text: string, id: string | undefined): string {
  if (id === undefined || !text.includes(id)) return text
  return text
    .split('\n')
    .filter((line) => !line.includes(id))
    .join('\n')
}

function editRecord(
  text: string,
  record: JsonObject,
  { name, id, rewriter }: { name: string; id: string | undefined; rewriter: HistoryRewriter },
): string {
  const mapped = text.replace(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g, (oid) => placeOf(rewriter, oid) ?? oid)
  if (name.includes('entire-sessions/')) {
    const before = asObject(parseJson(mapped)) ?? record
    const state = mapState(before, rewriter)
    const { last_checkpoint_id: last, turn_checkpoint_ids: turn, ...rest } = state
    const isKept = (checkpoint: string) => checkpoint !== id
    const after = {
      ...state,
      ...(last === undefined ? {} : { last_checkpoint_id: [asString(last) ?? ''].find(isKept) }),
      ...(turn === undefined ? {} : { turn_checkpoint_ids: asStrings(turn).filter(isKept) }),
    }
    const isSame = state === before && last !== id && !asStrings(turn).includes(id ?? '')
    return isSame ? mapped : formatJson(given({ ...rest, ...after }))
  }
  if (basename(name) !== 'entire-live.json') return mapped
  // What is remembered of the last step may no longer be true of it.
  const { last_step: _, last_link: link, sessions, ...rest } = record
  if (rewriter.commits.size === 0 && !(id !== undefined && text.includes(id))) return mapped
  return JSON.stringify({
    sessions: Object.fromEntries(Object.entries(asObject(sessions) ?? {}).filter(([key]) => key !== id)),
    ...(asObject(link)?.checkpoint === id || link === undefined ? {} : { last_link: link }),
    ...rest,
  })
}
