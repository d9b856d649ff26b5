// Makes the state of a session at its first event. When an earlier state was lost, the index of live sessions
// still has its files.

import { join } from 'node:path'
import type { Agent } from '../model/agent.ts'
import type { AgentEvent } from '../model/event.ts'
import type { Session } from '../model/session.ts'
import { readText, removeFile, writeAtomic } from '../std/file.ts'
import { given } from '../std/given.ts'
import { formatTime } from '../std/time.ts'
import type { EventWork, Recorder } from './event-work.ts'
import type { LiveSession } from './live-peek.ts'
import { sessionsDir } from './store.ts'

export function newSession(
  recorder: Recorder,
  agent: Agent,
  event: AgentEvent,
  known: LiveSession | undefined,
): Session {
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
    sharedFiles: [],
    turns: [],
    agentType: agent.type,
    turnCount: 0,
    promptAttributions: [],
    fullyCondensed: false,
    ...given({ model }),
    ...given({ metadata: event.firstMetadata }),
    extra: {},
  }
}

type Repo = EventWork['recorder']['repo']

/**
 * Some agents name their model only when a session starts, before there is a state: it waits for the first
 * turn.
 */
export function keepModelHint({ recorder: { repo }, event: { session, model } }: EventWork): void {
  if (model !== undefined) writeAtomic(hintFile(repo, session), model)
}

function readModelHint(repo: Repo, session: string): string | undefined {
  return readText(hintFile(repo, session))?.trim() || undefined
}

/** The state has the model from now on. */
export function removeModelHint(repo: Repo, session: string): void {
  removeFile(hintFile(repo, session))
}

function hintFile(repo: Repo, session: string): string {
  return join(sessionsDir(repo), `${session}.model`)
}
