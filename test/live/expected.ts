// Computes the tokens that the script costs an agent, and looks up recorded work.
import { cost } from './model/conversation.ts'
import { prompts } from './model/script.ts'
import type { Exchange } from './model/server.ts'
import type { Stage } from './stage.ts'

/** The usage of so many replies, as it is stored. A reply that is counted twice, or not at all, shows. */
export function usage(replies: number, subagent = 0): Record<string, unknown> {
  return {
    input_tokens: (cost.input - cost.cached) * replies,
    cache_creation_tokens: 0,
    cache_read_tokens: cost.cached * replies,
    output_tokens: cost.output * replies,
    api_call_count: replies,
    ...(subagent > 0 ? { subagent_tokens: usage(subagent) } : {}),
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
