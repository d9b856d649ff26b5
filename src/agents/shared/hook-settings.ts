// Hooks as agents keep them in a settings file: per event a list of groups, each with a matcher and a list of commands, or the
// commands alone.

import { getNodeValue, type Node } from 'jsonc-parser'
import { EntireError } from '../../std/errors.ts'
import type { Json, JsonObject } from '../../std/json.ts'
import {
  appendItem,
  findNode,
  insertProperty,
  parseSettings,
  removeNode,
  replaceValue,
} from '../../std/json-edit.ts'

export interface HookEntry {
  event: string
  matcher: string
  hook: JsonObject
}

export interface HookLayout {
  configPath: string
  entries(command: string): HookEntry[]
  isOurs(command: string): boolean
  /** Texts that belong into lists elsewhere in the file. */
  members: { path: string[]; value: string }[]
  /** Switches that must be set for hooks to run. */
  switches: { path: string[]; value: boolean }[]
  /** Values the file must have to be understood; another one that is there already stays. */
  defaults?: { path: string[]; value: number }[]
  /** Whether commands lie in groups, and how a group without a matcher is written. */
  groups: 'matcher always written' | 'empty matcher left out' | 'none'
  /** Where an entry has its command. */
  commandKey?: string
}

interface FoundHook {
  event: string
  matcher: string
  command: string
  node: Node
}

export function addHooks(
  text: string,
  layout: HookLayout,
  options: { command: string; force: boolean },
): { text: string; added: number } {
  const wanted = layout.entries(options.command)
  let edited = removeOurs(
    text,
    layout,
    (hook, earlier) =>
      !options.force && isWanted(hook, wanted, layout) && !earlier.some((other) => isSame(other, hook)),
  )
  for (const { path, value } of layout.defaults ?? []) edited = ensure(edited, layout, path, value)
  let added = 0
  for (const entry of wanted) {
    if (
      findHooks(edited, layout).some((hook) => isSame(hook, { ...entry, command: commandOf(entry, layout) }))
    )
      continue
    edited = addEntry(edited, layout, entry)
    added += 1
  }
  for (const { path, value } of layout.members) edited = addMember(edited, layout, path, value)
  for (const { path, value } of layout.switches) edited = setSwitch(edited, layout, path, value)
  return { text: edited, added }
}

/** All commands of ours in the file. */
export function findHooks(text: string, layout: HookLayout): FoundHook[] {
  const events = findNode(parseSettings(text, layout.configPath), ['hooks'])
  return childrenOf(events).flatMap((property) => {
    const [key, groups] = property.children ?? []
    return childrenOf(groups).flatMap((group) =>
      hooksOf(group, layout).flatMap((node): FoundHook[] => {
        const command: unknown = findNode(node, [keyOf(layout)])?.value
        if (typeof command !== 'string' || !layout.isOurs(command)) return []
        return [
          {
            event: String(key?.value),
            matcher: layout.groups === 'none' ? '' : matcherOf(group),
            command,
            node,
          },
        ]
      }),
    )
  })
}

/** Removes our commands except those to be kept, and the groups they leave empty. */
export function removeOurs(
  text: string,
  layout: HookLayout,
  keep: (hook: FoundHook, earlier: FoundHook[]) => boolean,
): string {
  const hooks = findHooks(text, layout)
  const gone = hooks.findLast((hook, at) => !keep(hook, hooks.slice(0, at)))
  if (!gone) return text
  if (layout.groups === 'none') return removeOurs(removeNode(text, gone.node), layout, keep)
  const list = gone.node.parent
  const group = list?.parent?.parent
  const edited = removeNode(text, list?.children?.length === 1 && group ? group : gone.node)
  return removeOurs(edited, layout, keep)
}

function addEntry(text: string, layout: HookLayout, entry: HookEntry): string {
  const prepared = ensure(ensure(text, layout, ['hooks'], {}), layout, ['hooks', entry.event], [])
  const groups = findNode(parseSettings(prepared, layout.configPath), ['hooks', entry.event])
  if (layout.groups === 'none')
    return appendItem(prepared, typed(groups, 'array', layout, `hooks.${entry.event}`), entry.hook)
  // Only into a group that is not empty: one that is empty when we leave is then known to be ours.
  const lists = childrenOf(groups)
    .filter((group) => matcherOf(group) === entry.matcher)
    .map((group) => findNode(group, ['hooks']))
  const list = lists.find((node) => node?.type === 'array' && childrenOf(node).length > 0)
  if (list) return appendItem(prepared, list, entry.hook)
  const matcher =
    entry.matcher !== '' || layout.groups === 'matcher always written' ? { matcher: entry.matcher } : {}
  return appendItem(prepared, typed(groups, 'array', layout, `hooks.${entry.event}`), {
    ...matcher,
    hooks: [entry.hook],
  })
}

function addMember(text: string, layout: HookLayout, path: string[], value: string): string {
  const prepared = path.reduce(
    (rest, _key, at) => ensure(rest, layout, path.slice(0, at + 1), at === path.length - 1 ? [] : {}),
    text,
  )
  const list = typed(
    findNode(parseSettings(prepared, layout.configPath), path),
    'array',
    layout,
    path.join('.'),
  )
  return childrenOf(list).some((node) => node.value === value) ? prepared : appendItem(prepared, list, value)
}

function setSwitch(text: string, layout: HookLayout, path: string[], value: boolean): string {
  const prepared = path.reduce(
    (rest, _key, at) => ensure(rest, layout, path.slice(0, at + 1), at === path.length - 1 ? value : {}),
    text,
  )
  const node = findNode(parseSettings(prepared, layout.configPath), path)
  return node && getNodeValue(node) !== value ? replaceValue(prepared, node, value) : prepared
}

/** Gives the path a value when it has none. */
function ensure(text: string, layout: HookLayout, path: string[], value: Json): string {
  const root = parseSettings(text, layout.configPath)
  if (findNode(root, path)) return text
  const parent = typed(findNode(root, path.slice(0, -1)), 'object', layout, path.slice(0, -1).join('.'))
  return insertProperty(text, parent, path.at(-1) ?? '', value)
}

function typed(node: Node | undefined, type: 'object' | 'array', layout: HookLayout, name: string): Node {
  if (node?.type === type) return node
  throw new EntireError(
    'bad-settings',
    `In ${layout.configPath}, ${name} is not ${type === 'array' ? 'a list' : 'an object'}.`,
    {
      hint: `Correct ${layout.configPath} and run the command again. It was not changed.`,
    },
  )
}

function isWanted(hook: FoundHook, wanted: HookEntry[], layout: HookLayout): boolean {
  return wanted.some((entry) => isSame(hook, { ...entry, command: commandOf(entry, layout) }))
}

function isSame(a: Omit<FoundHook, 'node'>, b: Omit<FoundHook, 'node'>): boolean {
  return a.event === b.event && a.matcher === b.matcher && a.command === b.command
}

function hooksOf(group: Node, layout: HookLayout): Node[] {
  return layout.groups === 'none' ? [group] : childrenOf(findNode(group, ['hooks']))
}

function commandOf(entry: HookEntry, layout: HookLayout): string {
  return String(entry.hook[keyOf(layout)])
}

function keyOf({ commandKey = 'command' }: HookLayout): string {
  return commandKey
}

function matcherOf(group: Node): string {
  const matcher: unknown = findNode(group, ['matcher'])?.value
  return typeof matcher === 'string' ? matcher : ''
}

function childrenOf(node: Node | undefined): Node[] {
  return node?.children ?? []
}

// The command line an agent runs for a hook, and how to know one of ours among those of others.

/** A repository may be cloned where the program is not installed: then the hook says nothing and succeeds. */
export function hookCommand(program: string, agent: string, verb: string): string {
  const name = quote(program)
  return `sh -c ${quote(`if ! command -v ${name} >/dev/null 2>&1; then exit 0; fi; exec ${name} hooks ${agent} ${verb}`, true)}`
}

function quote(word: string, always = false): string {
  return !always && /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

const program = String.raw`(?<![\w-])entire(?:\.exe|\.ts|\.js)?`

/** Recognises every form that was ever installed: plain, by path, run from source, wrapped for sh or for cmd.exe. */
export function hookRecogniser(
  agentNames: string[],
  oldCommands: string[] = [],
): (command: string) => boolean {
  const ours = `(?:hooks\\s+(?:${agentNames.join('|')})(?:\\s|$)${oldCommands.map((old) => `|${old}`).join('')})`
  const forms = [
    `^(?:[^\\s"'|;&]*[/\\\\])?${program}\\s+${ours}`,
    `^(["'])[^"']*[/\\\\]${program}\\1\\s+${ours}`,
    `^go\\s+run\\s+\\S*/cmd/entire/main\\.go["']?\\s+${ours}`,
    `\\bexec\\s+[^;|&]*?${program}['"\\\\]*\\s+${ours}`,
    `\\bexec\\s+go\\s+run\\s+\\S*/cmd/entire/main\\.go['"\\\\]*\\s+${ours}`,
    `\\bwhere\\.exe\\s+${program}\\b.*\\b${program}["']?\\s+${ours}`,
  ]
  const any = new RegExp(forms.join('|'))
  return (command) => any.test(command.trim())
}

// Takes our hooks out of a settings file that was edited since, and puts back what installing them changed around it.

/** `original`: the file before the hooks came, where it is known. What it had stays, even when it is empty. */
export function removeHooks(text: string, layout: HookLayout, original: string | undefined): string {
  const before = original === undefined ? undefined : parseSettings(original, layout.configPath)
  const had = (path: string[]) => before !== undefined && findNode(before, path) !== undefined
  const events = new Set(findHooks(text, layout).map((hook) => hook.event))
  let edited = removeOurs(text, layout, () => false)
  for (const event of events) edited = removeEmpty(edited, layout, ['hooks', event], had)
  edited = removeEmpty(edited, layout, ['hooks'], had)
  for (const { path, value } of layout.members)
    edited = removeMember(edited, layout, path, value, before, had)
  // Hooks that came later may need them; those that were there before did without.
  if (before && sameHooks(parseSettings(edited, layout.configPath), before))
    for (const { path, value } of layout.defaults ?? [])
      edited = removeDefault(edited, layout, path, value, had)
  if (before)
    for (const { path, value } of layout.switches)
      edited = restoreSwitch(edited, layout, path, value, before, had)
  return edited
}

function sameHooks(now: Node, before: Node): boolean {
  const [a, b] = [now, before]
    .map((root) => findNode(root, ['hooks']))
    .map((node) => (node === undefined ? {} : getNodeValue(node)))
  return JSON.stringify(a) === JSON.stringify(b)
}

function removeMember(
  text: string,
  layout: HookLayout,
  path: string[],
  value: string,
  before: Node | undefined,
  had: Had,
): string {
  const isValue = (node: Node) => node.value === value
  if (before && findNode(before, path)?.children?.some(isValue)) return text
  const node = findNode(parseSettings(text, layout.configPath), path)?.children?.findLast(isValue)
  return node ? removeEmptyUp(removeNode(text, node), layout, path, had) : text
}

function restoreSwitch(
  text: string,
  layout: HookLayout,
  path: string[],
  value: boolean,
  before: Node,
  had: Had,
): string {
  const node = findNode(parseSettings(text, layout.configPath), path)
  if (!node || getNodeValue(node) !== value) return text
  const old = findNode(before, path)
  if (old) return getNodeValue(old) === value ? text : replaceValue(text, node, getNodeValue(old))
  return node.parent ? removeEmptyUp(removeNode(text, node.parent), layout, path.slice(0, -1), had) : text
}

function removeDefault(text: string, layout: HookLayout, path: string[], value: number, had: Had): string {
  const node = findNode(parseSettings(text, layout.configPath), path)
  if (!node?.parent || getNodeValue(node) !== value || had(path)) return text
  return removeEmptyUp(removeNode(text, node.parent), layout, path.slice(0, -1), had)
}

type Had = (path: string[]) => boolean

function removeEmptyUp(text: string, layout: HookLayout, path: string[], had: Had): string {
  return path.reduceRight((rest, _key, at) => removeEmpty(rest, layout, path.slice(0, at + 1), had), text)
}

function removeEmpty(text: string, layout: HookLayout, path: string[], had: Had): string {
  const node = findNode(parseSettings(text, layout.configPath), path)
  if (!node?.parent || node.children?.length !== 0 || had(path)) return text
  return removeNode(text, node.parent)
}
