// Installs hooks in a JSON settings file of the agent, in the form that many agents share: per event a list
// of groups with commands. Entries of other tools stay, in their order.

import { mkdirSync, realpathSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { AgentContext, AgentHooks } from './definition.ts'
import { PluginError } from './definition.ts'
import { readIfPresent } from './session-file.ts'

export interface SettingsHooks {
  agent: string
  /** From the root of the repository, such as `.qwen/settings.json`. */
  path: string
  /** The hook that each event of the agent calls. */
  hooks: Record<string, string>
  /** Further fields of each entry, such as a time limit. */
  extra?: Record<string, unknown>
}

interface Entry {
  command?: unknown
}
interface Group {
  hooks?: Entry[]
}
type Settings = Record<string, unknown> & { hooks?: Record<string, Group[]> }

export function settingsHooks(
  options: SettingsHooks,
): Pick<AgentHooks, 'install' | 'uninstall' | 'installed'> {
  const ownCommand = new RegExp(`\\bentire(?:\\.\\w+)?['"]?\\s+hooks\\s+${options.agent}\\s`)
  const isOwn = ({ command }: Entry) => typeof command === 'string' && ownCommand.test(`${command} `)
  const wanted = Object.entries(options.hooks).map(([event, hook]) => ({
    event,
    command: hookCommand(options.agent, hook),
  }))
  const hasCommand = (settings: Settings, event: string, command: string) =>
    groupsOf(settings, event).some((group) => group.hooks?.some((entry) => entry.command === command))
  return {
    install: ({ force }, { repoRoot }) => {
      const file = readSettings(repoRoot, options.path)
      const kept = force ? withoutEntries(file.settings, isOwn) : file.settings
      const missing = wanted.filter(({ event, command }) => !hasCommand(kept, event, command))
      if (missing.length === 0) return 0
      const clean = withoutEntries(
        kept,
        (entry) => isOwn(entry) && !wanted.some(({ command }) => command === entry.command),
      )
      const hooks = { ...clean.hooks }
      for (const { event, command } of missing) {
        hooks[event] = [
          ...(hooks[event] ?? []),
          { hooks: [{ type: 'command', command, ...options.extra } as Entry] },
        ]
      }
      writeSettings(file, { ...clean, hooks })
      return missing.length
    },
    uninstall: ({ repoRoot }) => {
      const file = readSettings(repoRoot, options.path)
      const left = withoutEntries(file.settings, isOwn)
      if (file.text === undefined || left === file.settings) return
      if (Object.keys(left).length === 0) removeFile(file.path)
      else writeSettings(file, left)
    },
    installed: ({ repoRoot }) => {
      const { settings } = readSettings(repoRoot, options.path)
      return wanted.every(({ event, command }) => hasCommand(settings, event, command))
    },
  }
}

/**
 * Without `entire` the hook succeeds silently: the settings may be shared with people who have not installed
 * it.
 */
function hookCommand(agent: string, hook: string): string {
  return `sh -c 'if ! command -v entire >/dev/null 2>&1; then exit 0; fi; exec entire hooks ${agent} ${hook}'`
}

function groupsOf(settings: Settings, event: string): Group[] {
  return settings.hooks?.[event] ?? []
}

/**
 * Removes these entries and the groups and lists that they leave empty. Returns the same object when there
 * are none.
 */
function withoutEntries(settings: Settings, isRemoved: (entry: Entry) => boolean): Settings {
  const events = Object.entries(settings.hooks ?? {})
  const isTouched = (group: Group) => group.hooks?.some(isRemoved) === true
  if (!events.some(([, groups]) => groups.some(isTouched))) return settings
  const left = events.flatMap(([event, groups]): [string, Group[]][] => {
    if (!groups.some(isTouched)) return [[event, groups]]
    const kept = groups
      .map((group) =>
        isTouched(group)
          ? { ...group, hooks: group.hooks?.filter((entry) => !isRemoved(entry)) ?? [] }
          : group,
      )
      .filter((group) => group.hooks?.length !== 0)
    return kept.length === 0 ? [] : [[event, kept]]
  })
  const { hooks: _, ...others } = settings
  return left.length === 0 ? others : { ...settings, hooks: Object.fromEntries(left) }
}

interface SettingsFile {
  path: string
  text: string | undefined
  settings: Settings
}

function readSettings(repoRoot: AgentContext['repoRoot'], path: string): SettingsFile {
  const text = readIfPresent(join(repoRoot, path))?.toString('utf8')
  const whole = text === undefined ? join(repoRoot, path) : realpathSync(join(repoRoot, path))
  const settings = parseSettings(text ?? '{}')
  if (settings === undefined)
    throw new PluginError(`${path} is not a JSON object with lists of hooks; it has not been changed`)
  return { path: whole, text, settings }
}

function parseSettings(text: string): Settings | undefined {
  try {
    const value = JSON.parse(text) as Settings | null
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const isTable = value.hooks === undefined || (typeof value.hooks === 'object' && value.hooks !== null)
    return isTable && Object.values(value.hooks ?? {}).every(Array.isArray) ? value : undefined
  } catch {
    return undefined
  }
}

/** Keeps the indentation, the mode and the last newline of the file, or its absence. */
function writeSettings(file: SettingsFile, settings: Settings): void {
  const indent = /\n([ \t]+)"/.exec(file.text ?? '')?.[1] ?? '  '
  const end = file.text === undefined || file.text.endsWith('\n') ? '\n' : ''
  mkdirSync(dirname(file.path), { recursive: true })
  const temporary = `${file.path}.${process.pid}.tmp`
  const mode = file.text === undefined ? 0o644 : statSync(file.path).mode & 0o777
  writeFileSync(temporary, JSON.stringify(settings, null, indent) + end, { mode })
  renameSync(temporary, file.path)
}

/** Removes the file, and its directory when that is empty. */
function removeFile(path: string): void {
  rmSync(path)
  try {
    rmdirSync(dirname(path))
  } catch {
    // It holds other files.
  }
}
