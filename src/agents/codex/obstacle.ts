// Finds out why Codex does not run installed hooks: it silently skips them until its user trusts the project
// and each hook. Both are recorded in the user's config.toml, which is only read here: trust is the user's
// decision.

import { basename, dirname, join } from 'node:path'
import type { Obstacle } from '../../model/agent.ts'
import type { Environment } from '../../std/environment.ts'
import { exists, readText } from '../../std/file.ts'
import { given } from '../../std/given.ts'
import { asArray, asNumber, asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { isCodexHook } from './install.ts'
import { codexHome } from './session-files.ts'

const file = '.codex/hooks.json'

export function codexObstacle(root: string, env: Environment): Obstacle | undefined {
  const home = codexHome(env)
  // Where Codex was never used, there is nothing to report.
  if (!exists(home)) return undefined
  const path = join(home, 'config.toml')
  const config = readConfig(path)
  if (config === undefined) return undefined
  const main = findMainCheckout(root) ?? root
  return (
    findSwitch(config, path) ??
    findWrongPlace(root, main) ??
    findDistrust(config, path, root, main) ??
    findUntrusted(config, root, main)
  )
}

/** Undefined when it cannot be parsed. */
function readConfig(path: string): JsonObject | undefined {
  try {
    return asObject(Bun.TOML.parse(readText(path) ?? ''))
  } catch {
    return undefined
  }
}

function findSwitch(config: JsonObject, path: string): Obstacle | undefined {
  const features = asObject(config.features)
  if ((features?.hooks ?? features?.codex_hooks) !== false) return undefined
  return {
    message: `Codex runs no hooks: they are disabled in ${path}.`,
    fix: `Remove \`hooks = false\` from [features] in ${path}.`,
  }
}

/** Codex takes the hooks of a linked work tree from the main one, which must have a .codex directory. */
function findWrongPlace(root: string, main: string): Obstacle | undefined {
  const config = readText(join(main, file))
  if (config !== undefined && parseJson(config) === undefined)
    return {
      message: `Codex cannot read ${join(main, file)}: it is not plain JSON.`,
      fix: 'Remove comments and trailing commas.',
    }
  if (main === root || entireHooks(main).length > 0) return undefined
  return {
    message: `Codex takes the hooks of this work tree from ${main}, which has none: its sessions are not recorded here.`,
    fix: `Run \`entire enable --agent codex\` in ${main}.`,
  }
}

function findDistrust(config: JsonObject, path: string, root: string, main: string): Obstacle | undefined {
  const projects = asObject(config.projects)
  const level = [root, main]
    .map((dir) => asText(asObject(projects?.[dir])?.trust_level))
    .find((found) => found !== undefined)
  if (level === 'trusted') return undefined
  const nextStep = `open \`/hooks\`, and trust the hooks of ${file}`
  return level === undefined
    ? {
        message: `Codex does not trust ${root} yet, and runs no hooks there: its sessions are not recorded.`,
        fix: `Start \`codex\` in ${root} and trust it; then ${nextStep}.`,
      }
    : {
        message: `Codex is set not to trust ${root}, and runs no hooks there: its sessions are not recorded.`,
        fix: `Set \`trust_level = "trusted"\` for it in ${path}; then start \`codex\` in it, ${nextStep}.`,
      }
}

function findUntrusted(config: JsonObject, root: string, main: string): Obstacle | undefined {
  const states = asObject(asObject(config.hooks)?.state)
  const hooks = entireHooks(main)
  const untrusted = hooks.filter(({ key, hash }) => {
    const state = asObject(states?.[key])
    return state?.enabled === false || state?.trusted_hash !== hash
  })
  if (untrusted.length === 0) return undefined
  const events = [...new Set(untrusted.map(({ event }) => event))]
  return {
    message: `Codex skips ${untrusted.length} of the ${hooks.length} hooks of Entire until you trust them in their current form: ${events.join(', ')}.`,
    fix: `Start \`codex\` in ${root}, open \`/hooks\`, and trust the hooks of ${file}.`,
  }
}

function entireHooks(main: string): { event: string; key: string; hash: string }[] {
  const path = join(main, file)
  const events = asObject(asObject(parseJson(readText(path) ?? ''))?.hooks) ?? {}
  return Object.entries(events).flatMap(([event, groups]) =>
    asArray(groups).flatMap((group, place) =>
      asArray(asObject(group)?.hooks).flatMap((hook, index) => {
        const entry = asObject(hook) ?? {}
        if (!isCodexHook(asString(entry.command) ?? '')) return []
        return [
          {
            event,
            key: `${path}:${eventKey(event)}:${place}:${index}`,
            hash: hookHash(event, asObject(group) ?? {}, entry),
          },
        ]
      }),
    ),
  )
}

/** The main work tree of a linked one, whose `.git` file points to it. */
function findMainCheckout(root: string): string | undefined {
  const own = /^gitdir: (.+)/.exec(readText(join(root, '.git')) ?? '')?.[1]?.trimEnd()
  const shared =
    own === undefined || basename(dirname(own)) !== 'worktrees' ? undefined : dirname(dirname(own))
  return shared !== undefined && basename(shared) === '.git' ? dirname(shared) : undefined
}

/** Events whose hooks run whatever the matcher of their group is. */
const withoutMatcher = new Set(['user_prompt_submit', 'stop', 'interrupt'])
/** Events with short timeouts. */
const shortEvents = new Set(['session_end', 'interrupt'])

export function eventKey(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()
}

/**
 * The hash under which Codex records that its user trusts a hook: of what identifies the hook, with the keys
 * in this order. It changes with the hook.
 */
export function hookHash(event: string, group: JsonObject, hook: JsonObject): string {
  const key = eventKey(event)
  const matcher = withoutMatcher.has(key) ? undefined : asString(group.matcher)
  const identity = {
    event_name: key,
    hooks: [
      {
        async: hook.async === true,
        command: asString(hook.command) ?? '',
        timeout: secondsOf(key, hook),
        type: 'command',
      },
    ],
    ...given({ matcher }),
  }
  return `sha256:${new Bun.CryptoHasher('sha256').update(JSON.stringify(identity)).digest('hex')}`
}

function secondsOf(key: string, hook: JsonObject): number {
  const timeout = asNumber(hook.timeout)
  return shortEvents.has(key) ? Math.min(3, Math.max(1, timeout ?? 1)) : Math.max(1, timeout ?? 600)
}
