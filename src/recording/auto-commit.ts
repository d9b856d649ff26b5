// Commits a turn to the user's branch, with its checkpoint: the auto-commit strategy.

import { condenseSessions } from '../commits/condense.ts'
import type { CommittingSession } from '../commits/find-sessions.ts'
import { newCheckpointId, removePending, writePending } from '../commits/pending.ts'
import { moveStateBefore } from '../commits/record.ts'
import { readCommit } from '../git/commit.ts'
import { git } from '../git/exec.ts'
import { checkpointTrailer } from '../git/trailers.ts'
import type { EventWork } from '../sessions/event-work.ts'
import { clearPrompts } from '../sessions/prompts.ts'
import { encodePath } from '../std/encoding.ts'
import { given } from '../std/given.ts'

export interface TurnCommit {
  subject: string
  files: string[]
  /** Set when a subagent's task is committed. */
  task?: { toolUse: string; files: { path: string; content: Buffer }[] }
  /** Where the transcript is read already. */
  readTranscript?: CommittingSession['readTranscript']
}

/** Returns false when there was nothing to commit. */
export async function commitTurn(work: EventWork, turn: TurnCommit): Promise<boolean> {
  const { recorder, session } = work
  const { baseCommit } = session
  const checkpoint = newCheckpointId(recorder)
  // Should this process die between the commit and its checkpoint, the next event finds this note.
  writePending(recorder.repo, { checkpoint, at: recorder.clock().getTime() })
  work.afterwards.push(() => removePending(recorder.repo, checkpoint, recorder.clock().getTime()))
  if (!(await commitFiles(work, turn, `${turn.subject}\n\n${checkpointTrailer}: ${checkpoint}\n`))) {
    recorder.say('Skipped commit (no changes since the last commit)')
    return false
  }
  work.forgetStatus()
  const commit = await readCommit(recorder.repo, 'HEAD')
  if (commit === undefined) return false
  recorder.say(`Committed code changes to active branch (${commit.oid.slice(0, 7)})`)
  session.filesTouched = turn.files
  session.stepCount = 1
  const committer = { session: session.id, hasTerminal: false }
  const committing = { session, agent: work.agent, ...given({ readTranscript: turn.readTranscript }) }
  await condenseSessions(
    {
      recorder,
      git: work,
      commit,
      checkpoint,
      committer,
      afterwards: work.afterwards,
      ...(turn.task ? { task: turn.task } : {}),
    },
    [committing],
  )
  await moveStateBefore(recorder, work, work.live, { base: baseCommit, commit })
  // The turn is over: its checkpoint is final, and all its files are committed.
  session.turnCheckpoints = []
  session.filesTouched = []
  session.turns = []
  session.stepCount = 0
  session.transcriptStart = session.cursor?.items ?? session.transcriptStart
  work.afterwards.push(() => clearPrompts(recorder.repo, session.id))
  recorder.say(`Committed session metadata to entire/checkpoints/v1 (${checkpoint})`)
  return true
}

// `--only` leaves what the user staged alone. No hooks and no signing: there is no person to answer a
// question.
async function commitFiles(
  { recorder: { repo } }: EventWork,
  { files }: TurnCommit,
  message: string,
): Promise<boolean> {
  const stdin = Buffer.concat(files.flatMap((path) => [encodePath(path), Buffer.of(0)]))
  const paths = { stdin, env: { GIT_LITERAL_PATHSPECS: '1' } }
  const fromStdin = ['--pathspec-from-file=-', '--pathspec-file-nul']
  // Git must know a new path before it can be named; it knows deleted ones.
  await git(repo, ['add', '--intent-to-add', '--ignore-errors', ...fromStdin], { ...paths, accept: [1, 128] })
  const result = await git(
    repo,
    [
      '-c',
      'core.hooksPath=/dev/null',
      'commit',
      '--quiet',
      '--no-verify',
      '--no-gpg-sign',
      '--only',
      '-m',
      message,
      ...fromStdin,
    ],
    { ...paths, accept: [1] },
  )
  return result.code === 0
}
