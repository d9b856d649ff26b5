// Codex passes over hooks without a word until its user trusts the project and has agreed to each hook. Both are noted in the user's own
// config.toml, which is only read here: it is for the user to say so.

import { basename, dirname, join } from 'node:path'
import type { Env, Obstacle } from '../../model/agent.ts'
import { exists, readText } from '../../std/file.ts'
import { given } from '../../std/given.ts'
import { asArray, asNumber, asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { isCodexHook } from './install.ts'
import { codexHome } from './session-files.ts'

const file = '.codex/hooks.json'

export function findObstacle(root: string, env: Env): Obstacle | undefined {
  const home = codexHome(env)
  // Where Codex was never used, nothing is waiting for leave.
  if (!exists(home)) return undefined
  const path = join(home, 'config.toml')
  const config = readConfig(path)
  if (config === undefined) return undefined
  const main = findMainCheckout(root) ?? root
  return (
    findSwitch(config, path) ??
    findWrongPlace(root, main) ??
    findDistrust(config, path, root, main) ??
    findWaiting(config, root, main)
  )
}

/** Undefined when nobody can say what is in it. */
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
    message: `Codex runs no hooks: they are switched off in ${path}.`,
    fix: `Remove \`hooks = false\` below [features] in ${path}.`,
  }
}

/** Hooks of a linked work tree are taken from the main one, and only when it has such a directory of its own. */
function findWrongPlace(root: string, main: string): Obstacle | undefined {
  const config = readText(join(main, file))
  if (config !== undefined && parseJson(config) === undefined)
    return {
      message: `Codex cannot read ${join(main, file)}: it is not plain JSON.`,
      fix: 'Remove comments and commas that are too many.',
    }
  if (main === root || ourHooks(main).length > 0) return undefined
  return {
    message: `Codex takes the hooks of this work tree from ${main}, where there are none: its sessions are not recorded here.`,
    fix: `Run \`entire enable --agent codex\` in ${main}.`,
  }
}

function findDistrust(config: JsonObject, path: string, root: string, main: string): Obstacle | undefined {
  const projects = asObject(config.projects)
  const level = [root, main]
    .map((dir) => asText(asObject(projects?.[dir])?.trust_level))
    .find((found) => found !== undefined)
  if (level === 'trusted') return undefined
  const then = `open \`/hooks\`, and trust the hooks of ${file}`
  return level === undefined
    ? {
        message: `Codex does not trust ${root} yet, and runs no hooks there: its sessions are not recorded.`,
        fix: `Start \`codex\` in ${root} and say that you trust it; then ${then}.`,
      }
    : {
        message: `Codex was told not to trust ${root}, and runs no hooks there: its sessions are not recorded.`,
        fix: `Say \`trust_level = "trusted"\` for it in ${path}; then start \`codex\` in it, ${then}.`,
      }
}

function findWaiting(config: JsonObject, root: string, main: string): Obstacle | undefined {
  const states = asObject(asObject(config.hooks)?.state)
  const hooks = ourHooks(main)
  const waiting = hooks.filter(({ key, hash }) => {
    const state = asObject(states?.[key])
    return state?.enabled === false || state?.trusted_hash !== hash
  })
  if (waiting.length === 0) return undefined
  const events = [...new Set(waiting.map(({ event }) => event))]
  return {
    message: `Codex passes over ${waiting.length} of our ${hooks.length} hooks until you trust them as they are now: ${events.join(', ')}.`,
    fix: `Start \`codex\` in ${root}, open \`/hooks\`, and trust the hooks of ${file}.`,
  }
}

function ourHooks(main: string): { event: string; key: string; hash: string }[] {
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

/** Of a linked work tree: its file says where the main one has what belongs to it. */
function findMainCheckout(root: string): string | undefined {
  const own = /^gitdir: (.+?)\s*$/.exec(readText(join(root, '.git')) ?? '')?.[1]
  const shared =
    own === undefined || basename(dirname(own)) !== 'worktrees' ? undefined : dirname(dirname(own))
  return shared !== undefined && basename(shared) === '.git' ? dirname(shared) : undefined
}

// Codex runs a hook only as long as it is the one its user agreed to: it keeps a hash of what the hook is. The same hash, computed here.

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
  const asked = asNumber(hook.timeout)
  return hasty.has(key) ? Math.min(3, Math.max(1, asked ?? 1)) : Math.max(1, asked ?? 600)
}
