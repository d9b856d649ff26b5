// Links a commit that is about to be made: when it holds work of a session, its message gets the checkpoint
// trailer.

import { displayPrompt } from '../checkpoints/step-subject.ts'
import { isReplayingCommits } from '../git/commit.ts'
import type { Repo } from '../git/repo.ts'
import {
  appendEditableTrailer,
  appendTrailer,
  checkpointTrailer,
  readCheckpointIds,
  removeTrailer,
  userText,
} from '../git/trailers.ts'
import type { ChangedFile } from '../git/tree-diff.ts'
import { isActive, type Session } from '../model/session.ts'
import type { Settings } from '../model/settings.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { openGit } from '../sessions/git-session.ts'
import { type LiveIndex, readLive } from '../sessions/live-index.ts'
import { lockFile } from '../sessions/save.ts'
import { EntireError } from '../std/errors.ts'
import { type Lock, takeLock } from '../std/lock.ts'
import { findCommitter, findSomeCommittingSessions } from './find-sessions.ts'
import {
  findMissedCommits,
  isUnfinished,
  newCheckpointId,
  noteShown,
  noteUnlinked,
  writePending,
} from './pending.ts'
import type { StagedCommit } from './prefetch.ts'

const lockWaitMs = 10_000

export interface MessageFile {
  read(): string
  write(text: string): void
}

export type LinkAnswer = 'yes' | 'no' | 'always'

export interface LinkOptions {
  /** Where the message comes from: the second argument of the hook. */
  source: string
  staged: StagedCommit
  ask(question: string): Promise<LinkAnswer>
  /** Remembers that the question need not be asked again. */
  rememberAlways(): void
}

export async function linkCommit(recorder: Recorder, file: MessageFile, options: LinkOptions): Promise<void> {
  const { repo } = recorder
  await using _git = options.staged.git
  await completeEarlier(recorder)
  if (recorder.settings.strategy !== 'manual-commit' || isReplayingCommits(repo)) return
  const live = readLive(repo)
  const message = file.read()
  if (readCheckpointIds(message).length > 0) return
  if (options.source === 'commit' && (await keepLink(recorder, file, live.lastLink))) return
  if (live.sessions.size === 0) return
  const link = await proposeLink(recorder, live, message, options)
  using _lock = await lockIfFree(repo)
  if (link === undefined) return noteUnlinked(repo, recorder.clock().getTime())
  writePending(repo, { checkpoint: link.id, at: recorder.clock().getTime() })
  file.write(link.message)
  if (link.isEdited) noteShown(repo, link.id)
}

// Nothing is taken out of the notes meanwhile. A commit does not wait long for it: without the lock, a note
// could only be lost within the microseconds in which another is taken out.
async function lockIfFree(repo: Repo): Promise<Lock | undefined> {
  try {
    return await takeLock(lockFile(repo), { waitMs: 1_000 })
  } catch (error) {
    if (error instanceof EntireError && error.code === 'busy') return undefined
    throw error
  }
}

interface Link {
  id: string
  /** The message with the trailer. */
  message: string
  /** The person sees the message before it is committed. */
  isEdited: boolean
}

/** Undefined when the commit is to stay without a link. */
async function proposeLink(
  recorder: Recorder,
  live: LiveIndex,
  message: string,
  options: LinkOptions,
): Promise<Link | undefined> {
  const { git } = options.staged
  if (options.source === 'merge' || options.source === 'squash') return undefined
  const committer = findCommitter(recorder.env, recorder.agentCards())
  // Transcripts are read here, but not stored: they need no redaction. What a plugin says of them is kept.
  const unchanged = (text: string) => text
  const withoutRedaction = {
    ...recorder,
    redaction: async () => ({ json: unchanged, text: unchanged, name: unchanged }),
  }
  const findIn = async (staged: ChangedFile[]) => {
    const sampleOid = staged.flatMap(({ before, after }) => after ?? before ?? [])[0]
    const files = new Map(staged.map((entry) => [entry.path, entry]))
    return sampleOid === undefined
      ? []
      : await findSomeCommittingSessions(
          {
            recorder: withoutRedaction,
            git,
            live,
            change: { files, sampleOid },
            committer,
          },
          recorder.redaction,
        )
  }
  git.prefetch('config')
  const found = await findIn(await options.staged.ofSessions)
  const committing = found.length > 0 ? found : await findIn(await options.staged.all())
  if (committing.length === 0) return undefined
  const id = newCheckpointId(recorder)
  const { commentPrefix } = await git.config()
  const isAgentCommit = !committer.hasTerminal && committing.some(({ session }) => isActive(session))
  const linked = isAgentCommit
    ? appendTrailer(message, checkpointTrailer, id, commentPrefix)
    : await askUser(
        message,
        { id, commentPrefix, session: committing[0]?.session },
        recorder.settings,
        options,
      )
  return linked === undefined ? undefined : { id, message: linked, isEdited: options.source !== 'message' }
}

// A commit whose hook died is recorded before its sessions take part in another one.
async function completeEarlier(recorder: Recorder): Promise<void> {
  const { repo } = recorder
  if (!isUnfinished(repo) && findMissedCommits(repo, readLive(repo)).length === 0) return
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  const { completeCommit } = await import('./complete.ts')
  await completeCommit(recorder)
}

interface ProposedLink {
  id: string
  commentPrefix: string
  session: Session | undefined
}

// A message that is edited shows the trailer, to be kept or deleted; for any other one the user is asked.
async function askUser(
  message: string,
  { id, commentPrefix, session }: ProposedLink,
  settings: Settings,
  options: LinkOptions,
): Promise<string | undefined> {
  const agent = session?.agentType || 'Agent'
  const prompt = displayPrompt(session?.lastPrompt ?? '')
  // An amended message may be edited or not: comments would stay in one that is not.
  if (options.source === 'commit') return appendTrailer(message, checkpointTrailer, id, commentPrefix)
  if (options.source !== 'message')
    return appendEditableTrailer(message, id, { agent, prompt }, commentPrefix)
  if (settings.commitLinking === 'prompt') {
    const lastPrompt = prompt === '' ? '' : `  Last prompt: ${prompt}\n`
    const answer = await options.ask(
      `\nEntire: Active ${agent} session detected\n${lastPrompt}\nLink this commit to session context?\n  [Y]es / [n]o / [a]lways (remember my choice): `,
    )
    if (answer === 'no') return undefined
    if (answer === 'always') options.rememberAlways()
  }
  return appendTrailer(message, checkpointTrailer, id, commentPrefix)
}

// An amended commit keeps its link, even when the user writes a new message. True when it had one.
async function keepLink(
  recorder: Recorder,
  file: MessageFile,
  last: { commit: string; checkpoint: string } | undefined,
): Promise<boolean> {
  if (last === undefined) return false
  await using git = openGit(recorder.repo)
  if ((await git.objects.info('HEAD'))?.oid !== last.commit) return false
  const { commentPrefix } = await git.config()
  file.write(appendTrailer(file.read(), checkpointTrailer, last.checkpoint, commentPrefix))
  return true
}

/**
 * Removes the trailer from a message without other text, so that git sees an empty message and gives up the
 * commit.
 */
export function dropLoneTrailer(file: MessageFile): void {
  const message = file.read()
  if (readCheckpointIds(message).length > 0 && userText(message) === '')
    file.write(removeTrailer(message, checkpointTrailer))
}
