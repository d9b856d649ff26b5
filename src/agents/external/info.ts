// Asks a plugin for its name, type and capabilities, and remembers the answer until its file changes: a hook
// must not pay for a second process.

import type { Messages } from '../../protocol/external-agent/messages.ts'
import { limits } from '../../protocol/external-agent/subcommand.ts'
import { EntireError } from '../../std/errors.ts'
import { findStat, readText, writeAtomic } from '../../std/file.ts'
import { asArray, asNumber, asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'
import { ask, type PluginProgram, plainLine } from './call.ts'

export type Info = Messages['info']

/** Throws when the plugin cannot be used, with the reason. */
export async function readInfo(plugin: PluginProgram): Promise<Info> {
  const { site } = plugin
  const patient = { ...plugin, site: { ...site, timeoutMs: Math.min(site.timeoutMs, limits.discoveryMs) } }
  const info = await ask(patient, 'info', {})
  if (info.name !== plugin.name)
    throw unusable(plugin, `it reports the name ${JSON.stringify(plainLine(info.name))}`)
  const named = { ...info, type: plainLine(info.type), description: plainLine(info.description) }
  if (named.type === '') throw unusable(plugin, 'its type has no printable text')
  return named
}

function unusable({ name, path }: PluginProgram, why: string): EntireError {
  return new EntireError('agent-failed', `entire-agent-${name} is not used: ${why}.`, {
    hint: `Check the plugin: \`entire agent check ${path}\`.`,
  })
}

/** The answer of a plugin to `info`, or why it cannot be used. */
export type KnownPlugin = { info: Info } | { problem: string }

/** In a file that may be deleted at any time. */
export interface InfoCache {
  find(path: string): KnownPlugin | undefined
  remember(path: string, known: KnownPlugin): void
  /** Whether it recently ran into the time limit. */
  hasHung(path: string): boolean
  noteHang(path: string): void
}

/**
 * How long a failure is remembered: it may be temporary, but a plugin that hangs must not delay every commit.
 */
const problemMs = 10 * 60 * 1000

export function openInfoCache(file: string, now: () => Date): InfoCache {
  const entries = () => asObject(asObject(parseJson(readText(file) ?? ''))?.plugins) ?? {}
  const isRecent = (time: number | undefined) => {
    const age = now().getTime() - (time ?? 0)
    return age >= 0 && age < problemMs
  }
  const read = (path: string) => {
    const entry = asObject(entries()[path])
    return entry !== undefined && entry.stamp === stampOf(path) ? entry : undefined
  }
  const write = (path: string, entry: object) => {
    const stamp = stampOf(path)
    if (stamp === undefined) return
    const others = Object.entries(entries()).filter(
      ([other]) => other !== path && stampOf(other) !== undefined,
    )
    try {
      writeAtomic(
        file,
        JSON.stringify({ plugins: { ...Object.fromEntries(others), [path]: { stamp, ...entry } } }),
      )
    } catch {
      // The repository is read-only: the next process asks again.
    }
  }
  return {
    find(path) {
      const entry = read(path)
      const [info, problem] = [asObject(entry?.info), asString(entry?.problem)]
      if (isInfo(info)) return { info: info as unknown as Info }
      return problem !== undefined && isRecent(asNumber(entry?.at)) ? { problem } : undefined
    },
    remember: (path, known) => write(path, { at: now().getTime(), ...known }),
    hasHung: (path) => isRecent(asNumber(read(path)?.hung)),
    noteHang: (path) => write(path, { ...read(path), hung: now().getTime() }),
  }
}

function stampOf(path: string): string | undefined {
  const stat = findStat(path)
  return stat && `${stat.size}:${stat.mtimeMs}`
}

// A quick check without the schema, which was checked before the file was written: a damaged file is not
// used.
function isInfo(info: JsonObject | undefined): boolean {
  const texts = [info?.name, info?.type, info?.description].every((text) => asString(text) !== undefined)
  const lists = [info?.hook_names, info?.protected_dirs].every((list) =>
    asArray(list).every((item) => typeof item === 'string'),
  )
  return texts && lists && asObject(info?.capabilities) !== undefined
}
