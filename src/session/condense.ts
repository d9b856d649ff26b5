// A commit becomes a checkpoint: what every session concerned brings to it, and what each of them has left to commit.

import { prepareCheckpoint, type SessionPart, writeCheckpoint } from '../checkpoints/condense.ts'
import { checkpointContext, joinPrompts } from '../checkpoints/context.ts'
import { branchOf, shadowRef } from '../checkpoints/layout.ts'
import { isActive, type Session } from '../model/session.ts'
import { hasTokens } from '../model/tokens.ts'
import { formatTime } from '../std/time.ts'
import { addToRecorded, readRecordedFiles } from './amended.ts'
import { attributeCommit, type Shares, shareOut } from './attribute-commit.ts'
import { carryForward } from './carry-forward.ts'
import type { Candidate } from './concerned.ts'
import type { Condensing } from './condensing.ts'
import { decide } from './machine.ts'
import { clearPrompts } from './prompts.ts'
import { queueForPush } from './push-queue.ts'
import { spokenPrompts } from './spoken-prompts.ts'
import { toRepoPath } from './turn-changes.ts'
import { readTurnTranscript, sealTranscript, useTranscript } from './turn-transcript.ts'
import { type TurnTranscript, writing } from './work.ts'

/** All sessions in one import. Their states are changed but not yet saved. */
export async function condenseSessions(condensing: Condensing, candidates: Candidate[]): Promise<void> {
  const { recorder, git, checkpoint } = condensing
  const recorded = condensing.amends === true ? await readRecordedFiles(git.objects, checkpoint) : []
  const everyone = new Set([...candidates.flatMap(({ session }) => session.filesTouched), ...recorded])
  const shares = shareOut(condensing.commit, everyone)
  // Whoever needs the answer hears of its failure.
  prepareCheckpoint(git.objects, git.writes(), checkpoint).catch(() => {})
  const parts = await Promise.all(candidates.map((candidate) => describePart(condensing, candidate, shares)))
  await writeCheckpoint(await writing({ recorder, ...git }), checkpoint, parts)
  queueForPush(recorder.repo, checkpoint)
  const left = await carryForward(
    condensing,
    candidates.map(({ session }) => session),
  )
  for (const { session } of candidates) {
    recorder.say(`[entire] Condensed session ${session.id.slice(0, 8)}: ${checkpoint} (${session.stepCount} checkpoints)`)
    settle(condensing, session, left.get(session.id) ?? [])
  }
}

/** What one session brings to the checkpoint of a commit. */
export async function describePart(condensing: Condensing, candidate: Candidate, shares: Shares): Promise<SessionPart> {
  const { recorder, git, commit, checkpoint } = condensing
  const { session } = candidate
  const transcript = await (candidate.transcript ??
    readTurnTranscript({ recorder, agent: candidate.agent, session, objects: git.objects }, commit.oid))
  const prompts = await spokenPrompts(recorder, session, transcript, condensing.afterwards)
  noteMidTurnFiles(condensing, session, transcript)
  if (transcript !== undefined) useTranscript({ session, storeBlob: git.storeBlob }, transcript)
  const [contentHash, attribution] = await Promise.all([
    sealTranscript({ recorder, agent: candidate.agent, session, ...git }, commit.oid),
    attributeCommit(condensing, session, shares),
  ])
  const part: SessionPart = {
    record: {
      cliVersion: recorder.cliVersion,
      checkpoint,
      session: session.id,
      strategy: recorder.settings.strategy,
      createdAt: formatTime(recorder.clock()),
      ...(commit.branch === undefined ? {} : { branch: commit.branch }),
      steps: session.stepCount,
      files: session.filesTouched,
      agent: session.agentType,
      ...(session.model === undefined ? {} : { model: session.model }),
      ...(session.turnId === undefined ? {} : { turnId: session.turnId }),
      ...(condensing.task === undefined ? {} : { isTask: true, toolUse: condensing.task.toolUse }),
      ...(session.transcriptIdAtStart === undefined ? {} : { transcriptIdAtStart: session.transcriptIdAtStart }),
      transcriptStart: session.transcriptStart,
      ...(hasTokens(session.checkpointTokens) ? { tokens: session.checkpointTokens } : {}),
      ...(attribution === undefined ? {} : { attribution }),
      ...homeRelative(session.transcriptPath, recorder.home),
    },
    chunks: session.cursor?.chunks ?? [],
    contentHash,
    prompts: joinPrompts(prompts),
    context: checkpointContext(prompts),
    ...(recorder.settings.strategy === 'manual-commit' ? { shadow: branchOf(shadowRef(session.baseCommit, session.worktreeId)) } : {}),
    ...(condensing.task === undefined ? {} : { files: condensing.task.files }),
  }
  return condensing.amends === true ? addToRecorded(git.objects, part) : part
}

// In the middle of a turn no step has told yet what the agent changed: its transcript does, and a commit of its own speaks for itself.
function noteMidTurnFiles({ recorder, commit, caller }: Condensing, session: Session, transcript: TurnTranscript | undefined): void {
  if (!isActive(session)) return
  const committed = new Set(commit.files.map((file) => file.path))
  const named = [...session.turnFiles, ...(transcript?.files ?? [])].flatMap((file) => toRepoPath(recorder.repo, file) ?? [])
  const files = [
    ...session.filesTouched,
    ...named.filter((path) => committed.has(path)),
    ...(caller.session === session.id ? committed : []),
  ]
  session.filesTouched = [...new Set(files.length > 0 ? files : committed)].sort()
}

function settle(condensing: Condensing, session: Session, left: string[]): void {
  const { recorder, commit, checkpoint } = condensing
  const wasActive = isActive(session)
  session.phase = decide(session.phase, 'git-commit').phase
  session.baseCommit = commit.oid
  session.attributionBase = commit.oid
  session.turnHead = commit.oid
  session.promptAttributions = []
  delete session.pendingAttribution
  delete session.checkpointTokens
  delete session.lastStepAt
  session.filesTouched = left
  session.stepCount = left.length > 0 ? 1 : 0
  session.transcriptStart = left.length > 0 ? 0 : (session.cursor?.items ?? session.transcriptStart)
  if (left.length > 0) delete session.lastCheckpoint
  else session.lastCheckpoint = checkpoint
  session.fullyCondensed = session.phase === 'ended' && left.length === 0
  if (wasActive) session.turnCheckpoints = [...new Set([...session.turnCheckpoints, checkpoint])]
  else {
    session.lastInteraction = formatTime(recorder.clock())
    if (left.length === 0) condensing.afterwards.push(() => clearPrompts(recorder.repo, session.id))
  }
}

function homeRelative(path: string | undefined, home: string): { transcriptPath?: string } {
  return path?.startsWith(`${home}/`) ? { transcriptPath: path.slice(home.length + 1) } : {}
}
