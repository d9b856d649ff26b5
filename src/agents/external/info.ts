// Who a plugin says it is. Asked once, and remembered until its file changes: a hook must not pay for a second process.
import type { Messages } from '../../protocol/external-agent/messages.ts'
import { limits } from '../../protocol/external-agent/subcommand.ts'
import { EntireError } from '../../std/errors.ts'
import { findStat, readText, writeAtomic } from '../../std/file.ts'
import { asArray, asNumber, asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'
import { ask, type Plugin, plainLine } from './call.ts'

export type Info = Messages['info']

/** Throws when the plugin cannot be used, with the reason. */
export async function readInfo(plugin: Plugin): Promise<Info> {
  const { site } = plugin
  const patient = { ...plugin, site: { ...site, timeoutMs: Math.min(site.timeoutMs, limits.discoveryMs) } }
  const info = await ask(patient, 'info', {})
  if (info.name !== plugin.name)
    throw unusable(plugin, `it says that its name is ${JSON.stringify(plainLine(info.name))}`)
  const named = { ...info, type: plainLine(info.type), description: plainLine(info.description) }
  if (named.type === '') throw unusable(plugin, 'its type is no text that could be shown')
  return named
}

function unusable({ name, path }: Plugin, why: string): EntireError {
  return new EntireError('agent-failed', `entire-agent-${name} is not used: ${why}.`, {
    hint: `Check the plugin: \`entire agent check ${path}\`.`,
  })
}

/** What is known of a plugin: who it is, or why it cannot be used. */
export type Known = { info: Info } | { problem: string }

/** Remembered in a file that may be lost at any time. */
export interface InfoCache {
  find(path: string): Known | undefined
  remember(path: string, known: Known): void
  /** Whether it let somebody wait to the end, not long ago. */
  hasHung(path: string): boolean
  noteHang(path: string): void
}

/** A plugin that failed may have had bad luck; one that hangs must not make every commit wait for it. */
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
    const there = Object.entries(entries()).filter(
      ([other]) => other !== path && stampOf(other) !== undefined,
    )
    try {
      writeAtomic(
        file,
        JSON.stringify({ plugins: { ...Object.fromEntries(there), [path]: { stamp, ...entry } } }),
      )
    } catch {
      // A repository that may only be read: the next one asks again.
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

// We wrote it after checking it against the schema, which is not loaded for this; a file that somebody damaged is not used.
function isInfo(info: JsonObject | undefined): boolean {
  const texts = [info?.name, info?.type, info?.description].every((text) => asString(text) !== undefined)
  const lists = [info?.hook_names, info?.protected_dirs].every((list) =>
    asArray(list).every((item) => typeof item === 'string'),
  )
  return texts && lists && asObject(info?.capabilities) !== undefined
}
