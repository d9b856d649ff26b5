// Defines the life of a session as a table: phase × trigger → next phase and actions. A missing cell does not
// compile.
import type { Phase } from '../model/session.ts'

export const triggers = [
  'session-start',
  'turn-start',
  'turn-end',
  'compaction',
  'git-commit',
  'git-sequence',
  'session-end',
] as const

/** `git-sequence`: a commit that a rebase, cherry-pick or revert makes; it is not new work. */
export type Trigger = (typeof triggers)[number]

export const actionMeanings = {
  touch: 'note the time of the interaction',
  'clear-ended': 'the session continues after it had ended',
  'begin-turn': 'give the turn an id and remember what the work tree looked like',
  'save-step': 'snapshot the work tree and the transcript as a step',
  finalise: 'complete the checkpoints that were written in the middle of the turn',
  condense: 'write the checkpoint of the commit if the session has a part in it',
  end: 'note when the session ended',
} as const

export type Action = keyof typeof actionMeanings

export interface Transition {
  phase: Phase
  actions: readonly Action[]
}

function to(phase: Phase, ...list: Action[]): Transition {
  return { phase, actions: list }
}

// Saving and finalising change nothing when there is nothing new, so a turn whose end was never reported
// (interrupted, crashed) is completed by whatever event comes next. Other programs call a turn with a commit
// `active`, too.
export const machine = {
  idle: {
    'session-start': to('idle'),
    'turn-start': to('active', 'begin-turn', 'touch'),
    'turn-end': to('idle', 'save-step', 'finalise', 'touch'),
    compaction: to('idle', 'save-step', 'touch'),
    'git-commit': to('idle', 'condense', 'touch'),
    'git-sequence': to('idle'),
    'session-end': to('ended', 'touch', 'end'),
  },
  active: {
    'session-start': to('active', 'save-step', 'finalise'),
    'turn-start': to('active', 'save-step', 'finalise', 'begin-turn', 'touch'),
    'turn-end': to('idle', 'save-step', 'finalise', 'touch'),
    compaction: to('active', 'save-step', 'touch'),
    'git-commit': to('active_committed', 'condense', 'touch'),
    'git-sequence': to('active'),
    'session-end': to('ended', 'save-step', 'finalise', 'touch', 'end'),
  },
  active_committed: {
    'session-start': to('active_committed', 'save-step', 'finalise'),
    'turn-start': to('active', 'save-step', 'finalise', 'begin-turn', 'touch'),
    'turn-end': to('idle', 'save-step', 'finalise', 'touch'),
    compaction: to('active_committed', 'save-step', 'touch'),
    'git-commit': to('active_committed', 'condense', 'touch'),
    'git-sequence': to('active_committed'),
    'session-end': to('ended', 'save-step', 'finalise', 'touch', 'end'),
  },
  ended: {
    'session-start': to('idle', 'clear-ended'),
    'turn-start': to('active', 'clear-ended', 'begin-turn', 'touch'),
    'turn-end': to('ended', 'save-step', 'finalise'),
    compaction: to('ended'),
    'git-commit': to('ended', 'condense'),
    'git-sequence': to('ended'),
    'session-end': to('ended'),
  },
} as const satisfies Record<Phase, Record<Trigger, Transition>>

export function decide(phase: Phase, trigger: Trigger): Transition {
  return machine[phase][trigger]
}
