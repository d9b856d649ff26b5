// Which subagents of a thread finished. There are two generations: one tells their states under their ids, the other calls them by paths
// and tells what they do.
import { asObject, asString, asStrings, type JsonObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'

// A subagent that is sent on after it finished finishes again; its rollout must not be counted again.
const remembered = 64
const ends = new Set(['completed', 'errored', 'shutdown', 'interrupted'])

export interface SubagentWatch {
  readonly finished: string[]
  /** An item about subagents. */
  item(item: JsonObject): void
  /** A message in the user's name that tells how one ended. */
  notification(words: string): void
  /** A message that one agent sent to another. */
  message(author: string | undefined): void
  carry(): JsonObject
}

export function subagentWatch(carry: JsonObject | undefined): SubagentWatch {
  const known = asStrings(carry?.subagents)
  const paths = new Map(Object.entries(asObject(carry?.paths) ?? {}).map(([path, id]) => [path, asString(id) ?? '']))
  const finished: string[] = []

  function finish(id: string | undefined): void {
    if (id === undefined || !/^[A-Za-z0-9_-]+$/.test(id) || known.includes(id)) return
    known.push(id)
    finished.push(id)
  }

  return {
    finished,
    item(item) {
      for (const [id, state] of Object.entries(asObject(item.agents_states) ?? {})) if (isOver(state)) finish(id)
      const id = text(item.agent_thread_id)
      const path = text(item.agent_path)
      if (item.type !== 'SubAgentActivity' || id === undefined) return
      if (path !== undefined) paths.set(path, id)
      if (isOver(item.kind)) finish(id)
    },
    notification(words) {
      const told = asObject(parseJson(/^\s*<subagent_notification>([\s\S]*)<\/subagent_notification>\s*$/.exec(words)?.[1] ?? ''))
      const agent = text(told?.agent_path)
      if (agent !== undefined && isOver(told?.status)) finish(paths.get(agent) ?? agent)
    },
    message: (author) => finish(paths.get(author ?? '')),
    carry: () => ({ subagents: known.slice(-remembered), paths: Object.fromEntries([...paths].slice(-remembered)) }),
  }
}

/** A word, or an object whose only key is that word. */
function isOver(state: unknown): boolean {
  return typeof state === 'string' ? ends.has(state) : Object.keys(asObject(state) ?? {}).some((word) => ends.has(word))
}
