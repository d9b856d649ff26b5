// Links a commit that is about to be made: when it holds work of a session, its message gets the checkpoint
// trailer.

import { displayPrompt } from '../checkpoints/step-subject.ts'
import { isReplayingCommits } from '../git/commit.ts'
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
import { readLive } from '../sessions/live-index.ts'
import { lockFile } from '../sessions/save.ts'
import { takeLock } from '../std/lock.ts'
import { findCommitter, findSomeCommittingSessions } from './find-sessions.ts'
import { isUnfinished, newCheckpointId, writePending } from './pending.ts'
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
  ask(question: string): LinkAnswer
  /** Remembers that the question need not be asked again. */
  rememberAlways(): void
}

export async function linkCommit(recorder: Recorder, file: MessageFile, options: LinkOptions): Promise<void> {
  const { repo } = recorder
  await using git = options.staged.git
  await completeEarlier(recorder)
  if (
    recorder.settings.strategy !== 'manual-commit' ||
    isReplayingCommits(repo) ||
    options.source === 'merge' ||
    options.source === 'squash'
  )
    return
  const live = readLive(repo)
  if (options.source === 'commit') return keepLink(recorder, file, live.lastLink)
  if (live.sessions.size === 0) return
  const message = file.read()
  if (readCheckpointIds(message).length > 0) return
  const committer = findCommitter(recorder.env, recorder.agentCards())
  // Transcripts are read here, but not stored: they need no redaction.
  const unchanged = (text: string) => text
  const withoutRedaction = { ...recorder, redaction: async () => ({ json: unchanged, text: unchanged }) }
  const findIn = async (staged: ChangedFile[]) => {
    const sampleOid = staged.flatMap(({ before, after }) => after ?? before ?? [])[0]
    const files = new Map(staged.map((entry) => [entry.path, entry]))
    return sampleOid === undefined
      ? []
      : await findSomeCommittingSessions({
          recorder: withoutRedaction,
          git,
          live,
          change: { files, sampleOid },
          committer,
        })
  }
  git.prefetch('config')
  const found = await findIn(await options.staged.ofSessions)
  const committing = found.length > 0 ? found : await findIn(await options.staged.all())
  if (committing.length === 0) return
  const id = newCheckpointId(recorder)
  const isAgentCommit = !committer.hasTerminal && committing.some(({ session }) => isActive(session))
  const { commentPrefix } = await git.config()
  const linked = isAgentCommit
    ? appendTrailer(message, checkpointTrailer, id, commentPrefix)
    : askUser(message, { id, commentPrefix, session: committing[0]?.session }, recorder.settings, options)
  if (linked === undefined) return
  writePending(repo, { checkpoint: id, at: recorder.clock().getTime() })
  file.write(linked)
}

// What is pending for this commit would overwrite what is pending for a commit whose hook died.
async function completeEarlier(recorder: Recorder): Promise<void> {
  if (!isUnfinished(recorder.repo)) return
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs })
  const { completeCommit } = await import('./complete.ts')
  await completeCommit(recorder)
}

interface ProposedLink {
  id: string
  commentPrefix: string
  session: Session | undefined
}

// A message that is edited shows the trailer, to be kept or deleted; for any other one the user is asked.
function askUser(
  message: string,
  { id, commentPrefix, session }: ProposedLink,
  settings: Settings,
  options: LinkOptions,
): string | undefined {
  const agent = session?.agentType || 'Agent'
  const prompt = displayPrompt(session?.lastPrompt ?? '')
  if (options.source !== 'message')
    return appendEditableTrailer(message, id, { agent, prompt }, commentPrefix)
  if (settings.commitLinking === 'prompt') {
    const lastPrompt = prompt === '' ? '' : `  Last prompt: ${prompt}\n`
    const answer = options.ask(
      `\nEntire: Active ${agent} session detected\n${lastPrompt}\nLink this commit to session context?\n  [Y]es / [n]o / [a]lways (remember my choice): `,
    )
    if (answer === 'no') return undefined
    if (answer === 'always') options.rememberAlways()
  }
  return appendTrailer(message, checkpointTrailer, id, commentPrefix)
}

// An amended commit keeps its link, even when the user writes a new message.
async function keepLink(
  recorder: Recorder,
  file: MessageFile,
  last: { commit: string; checkpoint: string } | undefined,
): Promise<void> {
  const message = file.read()
  if (last === undefined || readCheckpointIds(message).length > 0) return
  await using git = openGit(recorder.repo)
  if ((await git.objects.info('HEAD'))?.oid === last.commit)
    file.write(appendTrailer(message, checkpointTrailer, last.checkpoint, (await git.config()).commentPrefix))
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
