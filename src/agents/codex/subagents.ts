// Finds out which subagents of Codex have finished: its rollout reports that in an item about subagents, in a
// notification, or in a message from one agent to another.

import { asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'

const remembered = 64
const ends = new Set(['completed', 'errored', 'shutdown', 'interrupted'])

export interface SubagentTracker {
  readonly finished: string[]
  /** An item about subagents. */
  item(item: JsonObject): void
  /** A message in the user's name that says how a subagent ended. */
  notification(text: string): void
  /** A message that one agent sent to another. */
  message(author: string | undefined): void
  carry(): JsonObject
}

export function trackSubagents(carry: JsonObject | undefined): SubagentTracker {
  const paths = new Map(
    Object.entries(asObject(carry?.paths) ?? {}).map(([path, id]) => [path, asString(id) ?? '']),
  )
  const finished: string[] = []

  function finish(id: string | undefined): void {
    if (id !== undefined && /^[A-Za-z0-9_-]+$/.test(id) && !finished.includes(id)) finished.push(id)
  }

  return {
    finished,
    item(item) {
      for (const [id, state] of Object.entries(asObject(item.agents_states) ?? {}))
        if (isOver(state)) finish(id)
      const id = asText(item.agent_thread_id)
      const path = asText(item.agent_path)
      if (item.type !== 'SubAgentActivity' || id === undefined) return
      if (path !== undefined) paths.set(path, id)
      if (isOver(item.kind)) finish(id)
    },
    notification(text) {
      const notice = asObject(
        parseJson(/^\s*<subagent_notification>([\s\S]*)<\/subagent_notification>\s*$/.exec(text)?.[1] ?? ''),
      )
      const agent = asText(notice?.agent_path)
      if (agent !== undefined && isOver(notice?.status)) finish(paths.get(agent) ?? agent)
    },
    message: (author) => finish(paths.get(author ?? '')),
    carry: () => ({ paths: Object.fromEntries([...paths].slice(-remembered)) }),
  }
}

/** A state is a word, or an object whose only key is that word. */
function isOver(state: unknown): boolean {
  return typeof state === 'string'
    ? ends.has(state)
    : Object.keys(asObject(state) ?? {}).some((word) => ends.has(word))
}
