// Counts the trials of the long tests: how many were made, how many held, how many were lost, of each kind. A
// soak names the file for the figures; other runs write none.
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** What one trial of each kind is. */
export const trialKinds = {
  kills: 'a process killed, alone or with its git, at a write or at a random moment',
  operations: 'an operation of a person, an agent or git in a random story, checked against a model',
  races: 'a turn or a commit at the same moment as others, or beside a repack',
  clones: 'a hook or command in a clone with random hostile settings, links and files',
  branches: 'a command that reads forged checkpoints and steps',
  secrets: 'a secret in a text, or in a conversation that becomes git objects',
}
export type TrialKind = keyof typeof trialKinds

/** Begins a trial, or several at once; the one before has held then. */
export interface Trials {
  begin(count?: number): void
  /** Secrets that remain although nothing is promised for them: named in the figures, not counted as lost. */
  excuse(count: number): void
}

/**
 * Tells a story of trials. The trial during which it fails is lost, and so is that of a story whose process
 * ends before it does.
 */
export async function counted<T>(kind: TrialKind, tell: (trials: Trials) => Promise<T> | T): Promise<T> {
  // Not a number of its own: each test file of a worker may load this module anew.
  const story = { id: randomUUID(), kind, tried: 0, excused: 0 }
  const write = (state: State) => {
    const file = process.env.ENTIRE_TEST_FIGURES
    // Short lines that are appended are whole, also beside those of other processes.
    if (file !== undefined) appendFileSync(file, `${JSON.stringify({ ...story, state })}\n`)
  }
  write('running')
  try {
    const result = await tell({
      begin(count = 1) {
        story.tried += count
        write('running')
      },
      excuse(count) {
        story.excused += count
      },
    })
    write('held')
    return result
  } catch (error) {
    story.tried = Math.max(story.tried, 1)
    write('lost')
    throw error
  }
}

type State = 'running' | 'held' | 'lost'

export interface Figures {
  tried: number
  held: number
  lost: number
  excused: number
}

/** Adds up what the stories have written so far; of a run that has ended, none may still be running. */
export function readFigures(file: string, { hasEnded }: { hasEnded: boolean }): Map<TrialKind, Figures> {
  const stories = new Map<string, { kind: TrialKind; tried: number; excused: number; state: State }>()
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  for (const line of lines.filter((text) => text !== '')) {
    const story = JSON.parse(line)
    stories.set(story.id, story)
  }
  const sums = new Map<TrialKind, Figures>()
  for (const { kind, tried, excused, state } of stories.values()) {
    const sum = sums.get(kind) ?? { tried: 0, held: 0, lost: 0, excused: 0 }
    const lost = state === 'lost' || (state === 'running' && hasEnded) ? 1 : 0
    const begun = state === 'running' && hasEnded ? Math.max(tried, 1) : tried
    sum.tried += begun
    sum.lost += lost
    sum.held += begun - lost
    sum.excused += excused
    sums.set(kind, sum)
  }
  return sums
}
