// Begins a turn: remembers the state of the work tree and measures what the user changed since the last step.

import { countableText, measurePrompt } from '../checkpoints/attribution.ts'
import { isInfrastructure, shadowRef } from '../checkpoints/layout.ts'
import { readWorkFile } from '../checkpoints/snapshot.ts'
import { findAgentStep } from '../checkpoints/step.ts'
import { firstPromptText } from '../checkpoints/step-subject.ts'
import { installHooks } from '../git/hooks/install.ts'
import { blobOid } from '../git/oid.ts'
import type { Status } from '../git/status.ts'
import type { PromptAttribution } from '../model/session.ts'
import type { EventWork } from '../sessions/event-work.ts'
import { readTurnPosition } from '../sessions/fetched-transcript.ts'
import { appendPrompt } from '../sessions/prompts.ts'
import { readTotals } from '../sessions/transcript.ts'
import { captureChanges } from '../sessions/turn-changes.ts'
import { type TurnStartState, writeTurnStart } from '../sessions/turn-start-state.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { saveStateBefore } from './before-turn.ts'

export async function beginTurn(work: EventWork): Promise<void> {
  const { recorder, session, event } = work
  const startedAt = recorder.clock().getTime()
  const status = await work.status()
  if (status.head === undefined)
    throw new EntireError('no-commits', 'This repository has no commits yet.', {
      hint: 'Recording starts with the first commit.',
    })
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
  if (session.baseCommit === '') startSession(work, event.began?.head ?? status.head, position.items)
  session.untrackedAtStart = findUserFiles(work, changes.untracked)
  session.turnId = recorder.random(6)
  session.turnCount += 1
  session.turnCheckpoints = []
  session.turnFiles = []
  session.turnHead = status.head
  delete session.lastCheckpoint
  if (session.agentType === '' || session.agentType === 'Agent') session.agentType = work.agent.type
  if (event.prompt !== undefined && event.prompt !== '') await notePrompt(work, event.prompt)
  const [edits, before] = await Promise.all([measureUserEdits(work, status), saveStateBefore(work, status)])
  session.pendingAttribution = edits
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

async function notePrompt({ recorder, session, afterwards }: EventWork, prompt: string): Promise<void> {
  const redacted = (await recorder.redaction()).text(prompt)
  session.firstPrompt ??= firstPromptText(redacted)
  session.lastPrompt = firstPromptText(redacted)
  afterwards.push(() => appendPrompt(recorder.repo, session.id, redacted))
}

// Hook managers overwrite hooks whenever they run; the next commit would not be linked.
async function ensureHooks(work: EventWork): Promise<void> {
  const { recorder } = work
  try {
    const { hooksDir } = await work.config()
    const { written } = installHooks(hooksDir, { command: recorder.command })
    if (written.length > 0)
      recorder.log.write('info', 'git hooks installed again', { hooks: written.join(' ') })
  } catch (error) {
    recorder.log.write('warn', `git hooks could not be installed: ${messageOf(error)}`)
  }
}

// Lines are counted in files that people write; larger ones are generated.
const maxBytes = 1024 * 1024

/** What the user changed since the last step, measured before the agent works. */
async function measureUserEdits(
  { recorder, session, objects }: EventWork,
  status: Status,
): Promise<PromptAttribution> {
  const paths = [...status.modified, ...status.untracked, ...status.deleted].filter(
    (path) => !isInfrastructure(path),
  )
  // Saving the state before the turn may move the base meanwhile.
  const { baseCommit } = session
  const shadow = shadowRef(baseCommit, session.worktreeId)
  const step = session.stepCount > 0 && paths.length > 0 ? await findAgentStep(objects, shadow) : undefined
  const hasShadow = step !== undefined
  const reference = step?.oid ?? baseCommit
  const infos = await Promise.all(paths.map((path) => objects.info(`${reference}:${path}`)))
  const differing = paths.flatMap((path, index) => {
    const content = readWorkFile(recorder.repo, path)
    const info = infos[index]
    const isSame = content !== undefined && info !== undefined && blobOid(content, info.oid) === info.oid
    const isLarge = (content?.length ?? 0) > maxBytes || (info?.size ?? 0) > maxBytes
    return isSame || isLarge ? [] : [{ path, content, isStored: info !== undefined }]
  })
  const files = await Promise.all(
    differing.map(async ({ path, content, isStored }) => ({
      path,
      worktree: countableText(content),
      reference: isStored ? countableText((await objects.contents(`${reference}:${path}`))?.content) : '',
      base: hasShadow ? countableText((await objects.contents(`${baseCommit}:${path}`))?.content) : '',
    })),
  )
  return measurePrompt(session.stepCount + 1, files, hasShadow)
}
