// A session that is seen for the first time, or whose state was lost: then the index of the work tree still knows its files.
import type { Agent } from '../model/agent.ts'
import type { AgentEvent } from '../model/event.ts'
import type { Session } from '../model/session.ts'
import { formatTime } from '../std/time.ts'
import type { LiveSession } from './live-file.ts'
import { readModelHint } from './model-hint.ts'
import type { Recorder } from './work.ts'

export function newSession(recorder: Recorder, agent: Agent, event: AgentEvent, known: LiveSession | undefined): Session {
  const now = formatTime(recorder.clock())
  const model = readModelHint(recorder.repo, event.session)
  return {
    id: event.session,
    cliVersion: recorder.cliVersion,
    // Set when a turn starts: only then is HEAD known.
    baseCommit: known?.base ?? '',
    attributionBase: known?.base ?? '',
    worktreePath: recorder.repo.root,
    worktreeId: recorder.repo.worktreeId,
    startedAt: now,
    lastInteraction: now,
    phase: 'idle',
    turnCheckpoints: [],
    turnFiles: [],
    stepCount: known?.files.length ? 1 : 0,
    transcriptStart: 0,
    untrackedAtStart: [],
    filesTouched: known?.files ?? [],
    agentType: agent.type,
    turnCount: 0,
    promptAttributions: [],
    fullyCondensed: false,
    ...(model === undefined ? {} : { model }),
    ...(event.firstMetadata === undefined ? {} : { metadata: event.firstMetadata }),
    extra: {},
  }
}
