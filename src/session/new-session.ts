// A session that is seen for the first time.
import type { Agent } from '../model/agent.ts'
import type { AgentEvent } from '../model/event.ts'
import type { Session } from '../model/session.ts'
import { formatTime } from '../std/time.ts'
import type { Recorder } from './work.ts'

export function newSession(recorder: Recorder, agent: Agent, event: AgentEvent): Session {
  const now = formatTime(recorder.clock())
  return {
    id: event.session,
    cliVersion: recorder.cliVersion,
    // Set when a turn starts: only then is HEAD known.
    baseCommit: '',
    attributionBase: '',
    worktreePath: recorder.repo.root,
    worktreeId: recorder.repo.worktreeId,
    startedAt: now,
    lastInteraction: now,
    phase: 'idle',
    turnCheckpoints: [],
    turnFiles: [],
    stepCount: 0,
    transcriptStart: 0,
    untrackedAtStart: [],
    filesTouched: [],
    agentType: agent.type,
    turnCount: 0,
    promptAttributions: [],
    fullyCondensed: false,
    extra: {},
  }
}
