// Codex runs a hook only as long as it is the one its user agreed to: it keeps a hash of what the hook is. The same hash, computed here.
import { asNumber, asString, type JsonObject } from '../../std/json.ts'

/** Events whose hooks run whatever their group is to match. */
const unmatched = new Set(['user_prompt_submit', 'stop', 'interrupt'])
/** Events that are waited for only shortly. */
const hasty = new Set(['session_end', 'interrupt'])

export function eventKey(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()
}

/** Of one hook in its group: only what makes it what it is, its keys in their order. */
export function hookHash(event: string, group: JsonObject, hook: JsonObject): string {
  const key = eventKey(event)
  const matcher = unmatched.has(key) ? undefined : asString(group.matcher)
  const identity = {
    event_name: key,
    hooks: [{ async: hook.async === true, command: asString(hook.command) ?? '', timeout: secondsOf(key, hook), type: 'command' }],
    ...(matcher === undefined ? {} : { matcher }),
  }
  return `sha256:${new Bun.CryptoHasher('sha256').update(JSON.stringify(identity)).digest('hex')}`
}

function secondsOf(key: string, hook: JsonObject): number {
  const asked = asNumber(hook.timeout)
  return hasty.has(key) ? Math.min(3, Math.max(1, asked ?? 1)) : Math.max(1, asked ?? 600)
}
