// Parses an agent's hooks by a table from verb to event, and helps agents to read payloads.

import type { Agent, HookInstaller } from '../../model/agent.ts'
import type { AgentEvent } from '../../model/event.ts'
import type { Environment } from '../../std/environment.ts'
import { EntireError, unknownName, useOneOf } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { asString, type JsonObject } from '../../std/json.ts'

/** Null: the hook is acknowledged and means nothing for the lifecycle. */
export type HookTable = Record<
  string,
  (payload: JsonObject, base: HookBase, env: Environment) => AgentEvent | null
>

/** The fields that all events of a hook payload share. */
export type HookBase = Pick<AgentEvent, 'session' | 'transcript' | 'timestamp'>

/** Reads those fields from a payload. */
export type BaseFields = (
  payload: JsonObject,
  env: Environment,
) => { [K in keyof HookBase]?: HookBase[K] | undefined }

/** How most agents spell them. */
const usualFields: BaseFields = (payload) => ({
  session: asText(payload.session_id),
  transcript: asText(payload.transcript_path),
  timestamp: asText(payload.timestamp),
})

/** The `parseHook` of an agent with this table. It refuses unknown verbs and payloads without a session. */
export function hookParser(agent: string, table: HookTable, fields: BaseFields = usualFields) {
  return ((verb, payload, env) => {
    const parse = Object.hasOwn(table, verb) ? table[verb] : undefined
    if (!parse) throw unknownName(`${agent} hook`, verb, useOneOf(Object.keys(table)), 'unknown-hook')
    const { session, ...rest } = fields(payload, env)
    if (session === undefined)
      throw new EntireError('bad-payload', `The ${verb} hook of ${agent} has no session id in its payload.`, {
        hint: 'Run `entire enable --force` to install the hooks again, and update the agent.',
      })
    return parse(payload, { session, ...given(rest) }, env)
  }) satisfies Agent['parseHook']
}

/** The string, unless it is empty or no string. */
export function asText(value: unknown): string | undefined {
  const string = asString(value)
  return string === '' ? undefined : string
}

/**
 * An id for a subagent whose agent announces it without one: the hooks that start and end it describe it in
 * the same words, and the id is made from them. Safe in names of files and branches.
 */
export function taskId(prefix: string, ...parts: string[]): string {
  return `${prefix}_${new Bun.CryptoHasher('sha256').update(parts.join('\n')).digest('hex').slice(0, 16)}`
}

/** The id with every character replaced that a path cannot have: ids become parts of paths. */
export function plainId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_')
}

/** Loads the code that edits config files on first use: hooks must start fast and never install anything. */
export function lazyInstaller(
  configPath: string,
  load: () => Promise<HookInstaller>,
  ownPath?: string,
): HookInstaller {
  return {
    configPath,
    ...given({ ownPath }),
    install: async (site, options) => (await load()).install(site, options),
    uninstall: async (site) => (await load()).uninstall(site),
    installed: async (site) => (await load()).installed(site),
    current: async (site, options) => (await load()).current(site, options),
  }
}
