// The beginning of a turn: remember what the work tree looked like, and what the user changed since the last step.
import { firstPromptText } from '../checkpoints/step-subject.ts'
import { installHooks } from '../git/hooks.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import { readTurnStart } from './fetched-transcript.ts'
import { writePrePrompt } from './pre-prompt.ts'
import { measureUserEdits } from './prompt-attribution.ts'
import { appendPrompt } from './prompts.ts'
import { captureChanges } from './turn-changes.ts'
import { readTotals } from './usage-totals.ts'
import type { Work } from './work.ts'

export async function beginTurn(work: Work): Promise<void> {
  const { recorder, session, event } = work
  const startedAt = recorder.clock().getTime()
  const status = await work.status()
  if (status.head === undefined)
    throw new EntireError('no-commits', 'This repository has no commits yet.', { hint: 'Recording starts with the first commit.' })
  const changes = captureChanges(recorder.repo, status)
  const position = event.began === undefined ? await readTurnStart(work) : { ...event.began, offset: event.began.items }
  // Written last: until the state says that a new turn began, the old beginning is the one to compare with.
  const lastId = session.transcriptIdAtStart
  const totals = readTotals(work.agent, session.transcriptPath)?.tokens
  work.afterwards.push(() =>
    writePrePrompt(recorder.repo, session.id, {
      at: startedAt,
      ...changes,
      position: position.offset,
      bytes: position.bytes,
      ...(lastId === undefined ? {} : { lastId }),
      ...(event.type === 'session-start' ? { opened: true } : {}),
      ...(totals === undefined ? {} : { totals }),
    }),
  )
  if (session.baseCommit === '') start(work, event.began?.head ?? status.head, position.items)
  session.untrackedAtStart = findUsersFiles(work, changes.untracked)
  session.turnId = recorder.random(6)
  session.turnCount += 1
  session.turnCheckpoints = []
  session.turnFiles = []
  session.turnHead = status.head
  delete session.lastCheckpoint
  if (session.agentType === '' || session.agentType === 'Agent') session.agentType = work.agent.type
  if (event.prompt !== undefined && event.prompt !== '') await notePrompt(work, event.prompt)
  session.pendingAttribution = await measureUserEdits(work, status)
  await ensureHooks(work)
}

// Untracked files that no session made, also those made between two turns: a rewind never deletes them, whoever edits them later.
function findUsersFiles({ session, live }: Work, untracked: string[]): string[] {
  const known = new Set(session.untrackedAtStart)
  const made = new Set([...session.filesTouched, ...[...live.sessions.values()].flatMap(({ files }) => files)])
  return untracked.filter((path) => known.has(path) || !made.has(path))
}

function start({ session, recorder }: Work, head: string, position: number): void {
  session.baseCommit = head
  session.attributionBase = head
  session.transcriptStart = position
  recorder.say(`Initialized shadow session: ${session.id}`)
}

async function notePrompt({ recorder, session, afterwards }: Work, prompt: string): Promise<void> {
  const redacted = (await recorder.redaction()).text(prompt)
  session.firstPrompt ??= firstPromptText(redacted)
  session.lastPrompt = firstPromptText(redacted)
  afterwards.push(() => appendPrompt(recorder.repo, session.id, redacted))
}

// Hook managers overwrite hooks whenever they run; without ours the next commit would not be linked.
async function ensureHooks(work: Work): Promise<void> {
  const { recorder } = work
  try {
    const { hooksDir } = await work.config()
    const { written } = installHooks(hooksDir, { command: recorder.command })
    if (written.length > 0) recorder.log.write('info', 'git hooks installed again', { hooks: written.join(' ') })
  } catch (error) {
    recorder.log.write('warn', `git hooks could not be installed: ${messageOf(error)}`)
  }
}
