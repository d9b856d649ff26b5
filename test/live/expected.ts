// Computes the tokens that the script costs an agent, and looks up recorded work.
import type { Cost } from './model/conversation.ts'
import { prompts } from './model/script.ts'
import type { Exchange } from './model/server.ts'
import type { Spent, Stage } from './stage.ts'

/** The usage of these replies, as it is stored. A reply that is counted twice, or not at all, shows. */
export function usage(...spent: Spent[]): Record<string, unknown> {
  const subagents = spent.flatMap(({ delegated }) => delegated)
  return {
    ...sumOf(spent.flatMap(({ own }) => own)),
    ...(subagents.length > 0 ? { subagent_tokens: sumOf(subagents) } : {}),
  }
}

/** Adds stored usages. */
export function sumUsage(usages: unknown[]): Record<string, unknown> {
  const records = usages.map((value) => (value ?? {}) as Record<string, number>)
  const fields = [...new Set(records.flatMap(Object.keys))]
  return Object.fromEntries(
    fields.map((field) => [field, records.reduce((sum, record) => sum + (record[field] ?? 0), 0)]),
  )
}

function sumOf(costs: Cost[]): Record<string, number> {
  const sum = (count: (cost: Cost) => number) => costs.reduce((total, cost) => total + count(cost), 0)
  return {
    input_tokens: sum(({ input, cached }) => input - cached),
    cache_creation_tokens: 0,
    cache_read_tokens: sum(({ cached }) => cached),
    output_tokens: sum(({ output }) => output),
    api_call_count: costs.length,
  }
}

export interface Point {
  id: string
  message: string
  is_task_checkpoint: boolean
  is_logs_only: boolean
  session_id: string
  session_prompt: string
}

/** Where one can rewind to, newest first. */
export async function rewindPoints({ repo }: Stage): Promise<Point[]> {
  return JSON.parse((await repo.entire(['rewind', '--list'])).out)
}

/** Those of them that are the end of a turn. */
export async function steps(stage: Stage): Promise<Point[]> {
  return (await rewindPoints(stage)).filter(({ message }) => !message.startsWith('Before: '))
}

/** The command that continues a session, as `entire resume` gives it. */
export async function resumeCommand({ repo }: Stage, session: string): Promise<string> {
  const { code, out, err } = await repo.entire(['resume', '--json', session])
  const found =
    code === 0
      ? JSON.parse(out).sessions.find((one: { session_id: string }) => one.session_id === session)
      : undefined
  if (typeof found?.command !== 'string') throw new Error(`No command continues ${session}:\n${out}${err}`)
  return found.command
}

/** Which prompts of the story the model has been shown in a request. */
export function promptsIn(exchange: Exchange | undefined): string[] {
  const users = (exchange?.asked.said ?? []).filter(({ role }) => role === 'user')
  return Object.values(prompts).filter((prompt) => users.some(({ text }) => text.includes(prompt)))
}

/**
 * The checkpoint of the last commit: from its message, or from a note where git's hooks were switched off.
 */
export async function linkedCheckpoint({ repo }: Stage, runsGitHooks: boolean): Promise<string> {
  if (runsGitHooks) return await repo.checkpointOf()
  const note = await repo.git('notes', '--ref=entire-checkpoints', 'show', 'HEAD')
  const id = /^Entire-Checkpoint: ([0-9a-f]{12})$/m.exec(note)?.[1]
  if (id === undefined) throw new Error(`The note of the commit names no checkpoint:\n${note}`)
  return id
}
