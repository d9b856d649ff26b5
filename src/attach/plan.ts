// Finds the transcript of a session that no hook recorded, and plans to which checkpoint it is attached.

import { closeSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { notesRef } from '../checkpoints/layout.ts'
import { readNotes } from '../checkpoints/links.ts'
import { readSlots } from '../checkpoints/slots.ts'
import { newCheckpointId } from '../commits/pending.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { type CommitInfo, isReplayingCommits, readCommit, readStaged } from '../git/commit.ts'
import { git } from '../git/exec.ts'
import { readCheckpointIds } from '../git/trailers.ts'
import type { Agent, SessionResumer } from '../model/agent.ts'
import type { Session } from '../model/session.ts'
import { readLastTime } from '../resume/stored-transcript.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { openGit } from '../sessions/git-session.ts'
import { EntireError } from '../std/errors.ts'
import { exists, fileSize, openRegular, readRange } from '../std/file.ts'
import { formatTime, parseTime } from '../std/time.ts'

export interface FoundTranscript {
  agent: Agent
  session: string
  path: string
}

export interface AttachPlan extends FoundTranscript {
  commit: CommitInfo
  checkpoint: string
  /** `add`: HEAD has this checkpoint already. `done`: so has the session, and nothing new was said since. */
  kind: 'new' | 'add' | 'done'
  /** How HEAD is linked to the checkpoint, if it is. */
  link: 'trailer' | 'note' | undefined
  /** Why the commit must not be amended. */
  noAmend?: string
}

export async function planAttach(
  recorder: Recorder,
  found: FoundTranscript,
  known: Session | undefined,
): Promise<AttachPlan> {
  const { repo } = recorder
  const commit = await readCommit(repo, 'HEAD')
  if (commit === undefined)
    throw new EntireError('no-commits', 'This repository has no commits yet.', {
      hint: 'Commit the work of the session first, then attach it.',
    })
  await using git = openGit(repo)
  const trailers = readCheckpointIds(commit.message)
  const notes = (await notesOf(git.objects, commit.oid)) ?? []
  const linkOf = (id: string) => (trailers.includes(id) ? 'trailer' : notes.includes(id) ? 'note' : undefined)
  const plan = { ...found, commit, ...(await whyNotAmend(recorder, commit)) }
  const attached = known === undefined || hasMore(found, known) ? undefined : known.lastCheckpoint
  if (attached !== undefined) return { ...plan, kind: 'done', checkpoint: attached, link: linkOf(attached) }
  const last = trailers.at(-1) ?? notes.at(-1)
  if (last === undefined)
    return { ...plan, kind: 'new', checkpoint: newCheckpointId(recorder), link: undefined }
  if ((await readSlots(git.objects, last)).sessions.length === 0) throw missingCheckpoint(last, commit)
  return { ...plan, kind: 'add', checkpoint: last, link: linkOf(last) }
}

async function notesOf(objects: ObjectReader, commit: string): Promise<string[] | undefined> {
  return (await objects.info(notesRef)) === undefined ? undefined : (await readNotes(objects)).get(commit)
}

// What was read ends at a line boundary; a newline may have been added after it.
function hasMore({ path }: FoundTranscript, { cursor }: Session): boolean {
  return cursor === undefined || cursor.path !== path || (fileSize(path) ?? 0) > cursor.bytes + 1
}

async function whyNotAmend({ repo }: Recorder, { oid }: CommitInfo): Promise<{ noAmend?: string }> {
  if (isReplayingCommits(repo) || exists(`${repo.gitDir}/MERGE_HEAD`))
    return { noAmend: 'a merge, rebase or cherry-pick is under way' }
  const [staged, unpushed] = await Promise.all([
    readStaged(repo),
    git(repo, ['rev-list', '--max-count=1', oid, '--not', '--remotes']),
  ])
  if (staged.length > 0) return { noAmend: 'changes are staged for the next commit' }
  return unpushed.stdout.length === 0 ? { noAmend: 'it has been pushed' } : {}
}

function missingCheckpoint(checkpoint: string, { oid }: CommitInfo): EntireError {
  return new EntireError(
    'not-found',
    `${oid.slice(0, 7)} is linked to checkpoint ${checkpoint}, which is not in this clone.`,
    {
      hint: `Fetch it first: \`entire explain ${checkpoint}\` does. A new checkpoint under the same id would hide it.`,
    },
  )
}

/**
 * `id` may be the beginning of an id; a complete one takes precedence. `roots`: where the agent may have been
 * started.
 */
export async function findTranscripts(
  { env }: Pick<Recorder, 'env'>,
  agents: Agent[],
  id: string,
  roots: string[],
): Promise<FoundTranscript[]> {
  const found: FoundTranscript[] = []
  for (const agent of agents) {
    const { resume } = agent
    if (resume === undefined) continue
    for (const dir of await findSessionDirs(resume, env, roots))
      found.push(...(await findIn(agent, resume, { dir, env, roots }, id)))
  }
  const exact = found.filter(({ session }) => session === id)
  const distinct = new Map(
    (exact.length > 0 ? exact : found).map((each) => [`${each.agent.name} ${each.session}`, each]),
  )
  return [...distinct.values()]
}

/** Directories in which the agent keeps its sessions of this repository. */
export async function findSessionDirs(
  resume: SessionResumer,
  env: Recorder['env'],
  roots: string[],
): Promise<string[]> {
  const dirs = [...new Set(await Promise.all(roots.map((root) => resume.sessionDir(root, env))))]
  // Some agents, started in a subdirectory, use a directory whose name begins with that of the repository's.
  const below = dirs.flatMap((dir) =>
    list(dirname(dir)).flatMap((name) =>
      name.startsWith(`${basename(dir)}-`) ? join(dirname(dir), name) : [],
    ),
  )
  return [...new Set([...dirs, ...below])]
}

interface Search {
  dir: string
  env: Recorder['env']
  roots: string[]
}

async function findIn(
  agent: Agent,
  resume: SessionResumer,
  { dir, env, roots }: Search,
  id: string,
): Promise<FoundTranscript[]> {
  const path = await resume.sessionFile(dir, id)
  if (roots[0] !== undefined) await resume.mirror?.(id, path, { root: roots[0], env })
  // A file that holds all sessions exists for every id, but may not have this session.
  if (agent.sections !== undefined)
    return agent.sections.find(path, id) === undefined ? [] : [{ agent, session: id, path }]
  if (fileSize(path) !== undefined) return [{ agent, session: id, path }]
  // Names of files contain at least the beginning of an id.
  const names = list(dir).filter((name) => /\.jsonl?$/.test(name) && name.includes(id.slice(0, 8)))
  const ids = names.flatMap((name) => idsOf(join(dir, name)).find((session) => session.startsWith(id)) ?? [])
  const known = await Promise.all(
    [...new Set(ids)].map(async (session) => ({
      agent,
      session,
      path: await resume.sessionFile(dir, session),
    })),
  )
  return known.filter((each) => fileSize(each.path) !== undefined)
}

// Some agents name the file by the whole id, some by its beginning, with the id in the file.
function idsOf(path: string): string[] {
  const stem = basename(path).replace(/\.jsonl?$/, '')
  const idInFile =
    fileSize(path) === undefined
      ? undefined
      : /"sessionId"\s*:\s*"([A-Za-z0-9_-]+)"/.exec(readStart(path))?.[1]
  return [stem, ...(idInFile === undefined ? [] : [idInFile])]
}

/** When the conversation began and ended, where the transcript has times. */
export function readSpan(path: string): { first?: string; last?: string } {
  const first = parseTime(/"(?:timestamp|startTime)"\s*:\s*"([^"]+)"/.exec(readStart(path))?.[1])
  const last = readLastTime(path)
  return { ...(first && { first: formatTime(first) }), ...(last && { last: formatTime(last) }) }
}

function readStart(path: string): string {
  const fd = openRegular(path)
  try {
    return readRange(fd, 0, 64 * 1024).toString('utf8')
  } finally {
    closeSync(fd)
  }
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
