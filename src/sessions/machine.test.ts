import { expect, test } from 'bun:test'
import { type Phase, phases } from '../model/session.ts'
import { decide, type Trigger, triggers } from './machine.ts'

// The rules that must hold, whatever else changes in the table.
const table: [Phase, Trigger, Phase, string][] = [
  ['idle', 'turn-start', 'active', 'begin-turn touch'],
  ['idle', 'git-commit', 'idle', 'condense touch'],
  ['idle', 'session-end', 'ended', 'touch end'],
  ['active', 'turn-end', 'idle', 'save-step finalise touch'],
  ['active', 'git-commit', 'active_committed', 'condense touch'],
  ['active', 'turn-start', 'active', 'save-step finalise begin-turn touch'],
  ['active', 'session-end', 'ended', 'save-step finalise touch end'],
  ['active_committed', 'turn-end', 'idle', 'save-step finalise touch'],
  ['active_committed', 'git-commit', 'active_committed', 'condense touch'],
  ['active_committed', 'turn-start', 'active', 'save-step finalise begin-turn touch'],
  ['active_committed', 'session-end', 'ended', 'save-step finalise touch end'],
  ['ended', 'turn-start', 'active', 'clear-ended begin-turn touch'],
  ['ended', 'git-commit', 'ended', 'condense'],
  ['ended', 'session-start', 'idle', 'clear-ended'],
]

test.each(table)('%s, %s → %s', (phase, trigger, next, actions) => {
  const transition = decide(phase, trigger)
  expect([transition.phase, transition.actions.join(' ')]).toEqual([next, actions])
})

test('commits of a rebase, cherry-pick or revert change nothing in any phase', () => {
  for (const phase of phases) expect(decide(phase, 'git-sequence')).toEqual({ phase, actions: [] })
})

test('every way out of a running turn saves it', () => {
  for (const phase of phases.filter((name) => name.startsWith('active'))) {
    for (const trigger of triggers) {
      const { phase: next, actions } = decide(phase, trigger)
      if (!next.startsWith('active')) expect(actions as readonly string[]).toContain('save-step')
    }
  }
})
