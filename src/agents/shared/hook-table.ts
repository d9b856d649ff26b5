// An agent's hooks are a table from verb to meaning; this looks a verb up and refuses what nobody can act on.

import type { Env, HookInstaller } from '../../model/agent.ts'
import type { AgentEvent } from '../../model/event.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { asString, type JsonObject } from '../../std/json.ts'

export type HookTable = Record<string, (payload: JsonObject, base: HookBase, env: Env) => AgentEvent | null>

/** What every event of a hook payload shares. */
export type HookBase = Pick<AgentEvent, 'session' | 'transcript' | 'timestamp'>

/** How most agents spell what every payload has. */
const usualFields: BaseFields = (payload) => ({
  session: text(payload.session_id),
  transcript: text(payload.transcript_path),
  timestamp: text(payload.timestamp),
})

export type BaseFields = (payload: JsonObject) => { [K in keyof HookBase]?: HookBase[K] | undefined }

export function parseWithTable(
  agent: string,
  table: HookTable,
  verb: string,
  payload: JsonObject,
  env: Env,
  fields: BaseFields = usualFields,
): AgentEvent | null {
  const parse = Object.hasOwn(table, verb) ? table[verb] : undefined
  if (!parse)
    throw new EntireError('unknown-hook', `${agent} has no hook called ${verb}.`, {
      hint: `Known hooks: ${Object.keys(table).join(', ')}.`,
    })
  const { session, ...rest } = fields(payload)
  if (session === undefined)
    throw new EntireError('bad-payload', `The ${verb} hook of ${agent} came without the id of its session.`, {
      hint: 'Run `entire enable --force` to install the hooks again, and update the agent.',
    })
  const base: HookBase = { session, ...given(rest) }
  return parse(payload, base, env)
}

/** A string that says something. */
export function text(value: unknown): string | undefined {
  const string = asString(value)
  return string === '' ? undefined : string
}

// Some agents announce a subagent without an id. What starts it and what ends it say the same about it, so the id is made of that.

/** The same for the same parts; safe in names of files and branches. */
export function taskId(prefix: string, ...parts: string[]): string {
  return `${prefix}_${new Bun.CryptoHasher('sha256').update(parts.join('\n')).digest('hex').slice(0, 16)}`
}

/** Ids become parts of paths; what cannot be in one is replaced. */
export function plainId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_')
}

// Hooks must start fast and never install anything, so the code that edits config files is loaded on first use only.

export function lazyInstaller(configPath: string, load: () => Promise<HookInstaller>): HookInstaller {
  return {
    configPath,
    install: async (site, options) => (await load()).install(site, options),
    uninstall: async (site) => (await load()).uninstall(site),
    installed: async (site) => (await load()).installed(site),
    current: async (site, options) => (await load()).current(site, options),
  }
}
