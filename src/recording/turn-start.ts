// Begins a turn: remembers the state of the work tree, for the end of the turn to compare with.

import { measurePrompt } from '../checkpoints/attribution.ts'
import { firstPromptText } from '../checkpoints/step-subject.ts'
import { requireHooksInside } from '../git/hooks/files.ts'
import { installHooks } from '../git/hooks/install.ts'
import type { EventWork } from '../sessions/event-work.ts'
import { readTurnPosition } from '../sessions/fetched-transcript.ts'
import { appendPrompt } from '../sessions/prompts.ts'
import { readTotals } from '../sessions/transcript.ts'
import { captureChanges } from '../sessions/turn-changes.ts'
import { noteTurn } from '../sessions/turn-notes.ts'
import { type TurnStartState, writeTurnStart } from '../sessions/turn-start-state.ts'
import { messageOf } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { saveStateBefore } from './before-turn.ts'

export async function beginTurn(work: EventWork): Promise<void> {
  const { recorder, session, event } = work
  const startedAt = recorder.clock().getTime()
  const status = await work.status()
  const changes = captureChanges(recorder.repo, status)
  const position =
    event.began === undefined ? await readTurnPosition(work) : { ...event.began, offset: event.began.items }
  const lastId = session.transcriptIdAtStart
  const totals = readTotals(work.agent, session.transcriptPath)?.tokens
  const start: TurnStartState = {
    at: startedAt,
    ...changes,
    position: position.offset,
    bytes: position.bytes,
    ...given({ lastId }),
    ...(event.type === 'session-start' ? { isProvisional: true } : {}),
    ...given({ totals }),
  }
  if (session.baseCommit === '') {
    startSession(work, event.began?.head ?? status.head, position.items)
    // What is older than the watcher that reports the turn is not its session's work.
    const isCopy = event.began !== undefined && work.agent.watcher !== undefined ? true : undefined
    session.recordedFrom = { bytes: position.bytes, position: position.offset, ...given({ totals, isCopy }) }
  }
  session.untrackedAtStart = findUserFiles(work, changes.untracked)
  session.turnId = recorder.random(6)
  session.turnCount += 1
  if (session.cursor?.behind === undefined) session.turnCheckpoints = []
  session.turnFiles = []
  session.turnHead = status.head
  delete session.lastCheckpoint
  if (session.agentType === '' || session.agentType === 'Agent') session.agentType = work.agent.type
  const note = noteTurn(session, startedAt, event.prompt ? await notePrompt(work, event.prompt) : undefined)
  const { before, edits } = await saveStateBefore(work, status)
  if (before !== undefined) note.before = before
  // What the agent has done since its turn began cannot be told from what the person did before it.
  session.pendingAttribution = event.began?.isUnderway
    ? measurePrompt(session.stepCount + 1, [], false)
    : edits
  // Written after the state: until that says that a new turn began, the old start state is the one to compare
  // with.
  work.afterwards.push(() => writeTurnStart(recorder.repo, session.id, { ...start, ...given({ before }) }))
  await ensureHooks(work)
}

// Untracked files that no session made, also those made between two turns. A rewind never deletes them, even
// when an agent edits them later.
function findUserFiles({ session, live }: EventWork, untracked: string[]): string[] {
  const known = new Set(session.untrackedAtStart)
  const made = new Set([
    ...session.filesTouched,
    ...[...live.sessions.values()].flatMap(({ files }) => files),
  ])
  return untracked.filter((path) => known.has(path) || !made.has(path))
}

function startSession({ session, recorder }: EventWork, head: string, position: number): void {
  session.baseCommit = head
  session.attributionBase = head
  session.transcriptStart = position
  recorder.say(`Recording session ${session.id}`)
}

async function notePrompt({ recorder, session, afterwards }: EventWork, prompt: string): Promise<string> {
  const redacted = (await recorder.redaction()).text(prompt)
  session.firstPrompt ??= firstPromptText(redacted)
  session.lastPrompt = firstPromptText(redacted)
  afterwards.push(() => appendPrompt(recorder.repo, session.id, redacted))
  return redacted
}

// Hook managers overwrite hooks whenever they run; the next commit would not be linked.
async function ensureHooks(work: EventWork): Promise<void> {
  const { recorder } = work
  try {
    const { hooksDir } = await work.config()
    requireHooksInside(hooksDir, recorder.repo)
    const { written } = installHooks(hooksDir, { command: recorder.command, program: recorder.program })
    if (written.length > 0)
      recorder.log.write('info', 'git hooks installed again', { hooks: written.join(' ') })
  } catch (error) {
    recorder.log.write('warn', `git hooks could not be installed: ${messageOf(error)}`)
  }
}
