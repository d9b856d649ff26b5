// What is known of an agent that also runs the hooks that were installed for another one.
import type { JsonObject } from '../std/json.ts'

export interface BorrowedHooks {
  /** The name of the agent they were installed for. */
  from: string
  /** The other one's hooks, as hooks of its own. Those that are missing are not heard. */
  verbs: Record<string, string>
  /** True when the payload shows who ran the hook. */
  isSender(payload: JsonObject): boolean
}
