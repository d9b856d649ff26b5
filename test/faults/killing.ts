// Defines the stories of killed hooks, and the steps they share.
import { expect } from 'bun:test'
import type { FakeAgent } from '../support/fake-agent.ts'
import { type FaultyRepo, killedCode } from './faulty-repo.ts'

export interface Round {
  repo: FaultyRepo
  agent: FakeAgent
  other: FakeAgent
  /** The write to die at. */
  at: number
  /** Files that the agent writes. */
  a: string
  b: string
}

export interface Story {
  strategy?: string
  /** Everything before the event that dies. */
  before(round: Round): Promise<void>
  /** Runs the event; returns whether its process died. */
  event(round: Round): Promise<boolean>
  /** The events after it, which complete its work. */
  after(round: Round): Promise<void>
  /** The commits to look at, one of which must be linked to a checkpoint of these files. */
  recorded(round: Round): [revs: string, files: string[], agent?: FakeAgent][]
}

export const hook = async (
  { repo, agent, at }: Round,
  verb: string,
  fields: Record<string, unknown> = {},
) => {
  const payload = { session_id: agent.session, transcript_path: agent.transcript, cwd: repo.root, ...fields }
  const ran = await repo.entire(['hooks', 'claude-code', verb], {
    stdin: JSON.stringify(payload),
    env: { ENTIRE_TEST_KILL_AT_WRITE: String(at) },
  })
  expect([0, killedCode]).toContain(ran.code)
  return ran.code === killedCode
}

export const commit = (message: string, ...options: string[]) => [
  'commit',
  '--quiet',
  '-m',
  message,
  ...options,
]
export const text = (path: string, round: number) =>
  `the first line of ${path}\nthe second line of round ${round}\n`
export const writeBoth = ({ agent, a, b, at }: Round) => {
  agent.write(a, text(a, at))
  agent.write(b, text(b, at))
}
export const turnOfBoth = async (round: Round) => {
  await round.agent.prompt(`round ${round.at}`)
  writeBoth(round)
  round.agent.say('Done.')
}
export const savedTurn = async (round: Round) => {
  await turnOfBoth(round)
  await round.agent.stop()
}
export const anotherTurn = async ({ agent, at }: Round) => {
  await agent.prompt(`go on after ${at}`)
  agent.say('Nothing to do.')
  await agent.stop()
}
export const commitAll = async ({ repo, at }: Round) => {
  await repo.commitAs('human', `round ${at}`)
}
export const stage = async ({ repo }: Round, ...paths: string[]) => {
  await repo.git('add', '--all', '--', ...(paths.length === 0 ? ['.'] : paths))
}
