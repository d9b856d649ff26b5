// Everything about one checkpoint, asked for at once.

import { metadataRef } from '../../checkpoints/layout.ts'
import { readNotes } from '../../checkpoints/notes.ts'
import { ownRef, remoteMetadataRef } from '../../checkpoints/places.ts'
import { readPrompts, type StoredCheckpoint, type StoredSession } from '../../checkpoints/read.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { type LogEntry, readLog } from '../../git/log.ts'
import type { Repo } from '../../git/repo.ts'
import { checkpointTrailer, readCheckpointIds } from '../../git/trailers.ts'
import { type Conversation, readConversation, type Scope } from './conversation.ts'

const commitsSearched = 500

export interface SessionDetail {
  session: StoredSession
  prompts: string[]
  /** Undefined when nobody asked for it. */
  conversation?: Conversation
}

export interface CheckpointDetail {
  checkpoint: StoredCheckpoint
  /** In the order they were added; the last one stands for the checkpoint. */
  sessions: SessionDetail[]
  commits: LogEntry[]
  author: string | undefined
}

export interface DetailOptions {
  scope: Scope | 'none'
  /** Commits that may belong to the checkpoint. */
  history: Promise<LogEntry[]>
  /** One that does, wherever it is. */
  commit?: LogEntry
}

/** Commits of this branch, or with `everything` those of all branches that name a checkpoint. */
export function readHistory(repo: Repo, everything: boolean): Promise<LogEntry[]> {
  const all = ['--exclude=entire/*', '--branches', '--remotes', '--tags', 'HEAD', '--fixed-strings', `--grep=${checkpointTrailer}: `]
  const history = readLog(repo, everything ? all : [`-${commitsSearched}`, 'HEAD'])
  // It is asked for before anyone waits for it; whoever does hears of its failure.
  history.catch(() => {})
  return history
}

export async function readDetail(
  repo: Repo,
  objects: ObjectReader,
  checkpoint: StoredCheckpoint,
  options: DetailOptions,
): Promise<CheckpointDetail> {
  const [commits, sessions] = await Promise.all([
    readCommits(objects, checkpoint.checkpoint, options),
    Promise.all(checkpoint.sessions.map((session) => readSession(objects, session, options.scope))),
  ])
  return { checkpoint, sessions, commits, author: commits[0]?.author ?? (await readAuthor(repo, checkpoint.checkpoint)) }
}

async function readSession(objects: ObjectReader, session: StoredSession, scope: DetailOptions['scope']): Promise<SessionDetail> {
  // Without a summary the first prompt says what was wanted, and the transcript says which one that is.
  const needed = scope !== 'none' ? scope : session.summary === undefined ? 'checkpoint' : undefined
  const [prompts, conversation] = await Promise.all([
    readPrompts(objects, session),
    needed === undefined ? undefined : readConversation(objects, session, needed),
  ])
  return { session, prompts, ...(conversation === undefined ? {} : { conversation }) }
}

async function readCommits(objects: ObjectReader, id: string, { history, commit }: DetailOptions): Promise<LogEntry[]> {
  const notes = await readNotes(objects)
  // Most commits do not have the id anywhere; only of those that have it the trailers are read.
  const isLinked = ({ oid, message }: LogEntry) =>
    notes.get(oid)?.includes(id) || (message.includes(id) && readCheckpointIds(message).includes(id))
  const commits = (await history).filter(isLinked)
  return commit === undefined || commits.some(({ oid }) => oid === commit.oid) ? commits : [commit, ...commits]
}

// A checkpoint of someone else's branch: whoever stored it has made its commit, too.
async function readAuthor(repo: Repo, id: string): Promise<string | undefined> {
  for (const ref of [metadataRef, remoteMetadataRef, ownRef(id)]) {
    const [commit] = await readLog(repo, ['-1', '--fixed-strings', `--grep=Checkpoint: ${id}`, ref])
    if (commit !== undefined) return commit.author
  }
  return undefined
}
