// Adds hooks to the text of an agent's settings file and takes them out again. Such a file has, for each
// event, a list of groups, each with a matcher and a list of commands; or it has the commands alone.

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
  /** Recognises the commands that Entire has installed. */
  isEntireHook(command: string): boolean
  /** Values to add to lists elsewhere in the file. */
  members: { path: string[]; value: string }[]
  /** Switches that must be set for hooks to run. */
  switches: { path: string[]; value: boolean }[]
  /** Values that the file must have to be valid; a different value that is already there stays. */
  defaults?: { path: string[]; value: number }[]
  /** Whether commands are in groups, and how a group without a matcher is written. */
  groups: 'matcher always written' | 'empty matcher left out' | 'none'
  /** The key of an entry that holds its command. */
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
  let edited = removeCommands(
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

/** All commands in the file that Entire has installed. */
export function findHooks(text: string, layout: HookLayout): FoundHook[] {
  const events = findNode(parseSettings(text, layout.configPath), ['hooks'])
  return childrenOf(events).flatMap((property) => {
    const [key, groups] = property.children ?? []
    return childrenOf(groups).flatMap((group) =>
      hooksOf(group, layout).flatMap((node): FoundHook[] => {
        const command: unknown = findNode(node, [keyOf(layout)])?.value
        if (typeof command !== 'string' || !layout.isEntireHook(command)) return []
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

/** Removes installed commands except those to be kept, and the groups they leave empty. */
function removeCommands(
  text: string,
  layout: HookLayout,
  keep: (hook: FoundHook, earlier: FoundHook[]) => boolean,
): string {
  const hooks = findHooks(text, layout)
  const gone = hooks.findLast((hook, at) => !keep(hook, hooks.slice(0, at)))
  if (!gone) return text
  if (layout.groups === 'none') return removeCommands(removeNode(text, gone.node), layout, keep)
  const list = gone.node.parent
  const group = list?.parent?.parent
  const edited = removeNode(text, list?.children?.length === 1 && group ? group : gone.node)
  return removeCommands(edited, layout, keep)
}

function addEntry(text: string, layout: HookLayout, entry: HookEntry): string {
  const prepared = ensure(ensure(text, layout, ['hooks'], {}), layout, ['hooks', entry.event], [])
  const groups = findNode(parseSettings(prepared, layout.configPath), ['hooks', entry.event])
  if (layout.groups === 'none')
    return appendItem(prepared, typed(groups, 'array', layout, `hooks.${entry.event}`), entry.hook)
  // Only into a group that is not empty: a group that is empty after an uninstall is then known to have been
  // added.
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

/**
 * Takes the hooks out of a settings file that was edited since they were installed, and undoes what the
 * installation changed around them. `original` is the file before the installation, where it is known; what
 * it had stays, even when it is empty.
 */
export function removeHooks(text: string, layout: HookLayout, original: string | undefined): string {
  const before = original === undefined ? undefined : parseSettings(original, layout.configPath)
  const restoring: Restoring = { layout, before }
  const events = new Set(findHooks(text, layout).map((hook) => hook.event))
  let edited = removeCommands(text, layout, () => false)
  for (const event of events) edited = removeEmpty(edited, ['hooks', event], restoring)
  edited = removeEmpty(edited, ['hooks'], restoring)
  for (const member of layout.members) edited = removeMember(edited, member, restoring)
  // Hooks that were added later may need the defaults; those that were there before did without.
  if (before && hasSameHooks(parseSettings(edited, layout.configPath), before))
    for (const value of layout.defaults ?? []) edited = removeDefault(edited, value, restoring)
  if (before) for (const value of layout.switches) edited = restoreSwitch(edited, value, restoring)
  return edited
}

interface Restoring {
  layout: HookLayout
  before: Node | undefined
}

function wasThere(path: string[], { before }: Restoring): boolean {
  return before !== undefined && findNode(before, path) !== undefined
}

function hasSameHooks(now: Node, before: Node): boolean {
  const [a, b] = [now, before]
    .map((root) => findNode(root, ['hooks']))
    .map((node) => (node === undefined ? {} : getNodeValue(node)))
  return JSON.stringify(a) === JSON.stringify(b)
}

function removeMember(
  text: string,
  { path, value }: HookLayout['members'][number],
  restoring: Restoring,
): string {
  const { layout, before } = restoring
  const isValue = (node: Node) => node.value === value
  if (before && findNode(before, path)?.children?.some(isValue)) return text
  const node = findNode(parseSettings(text, layout.configPath), path)?.children?.findLast(isValue)
  return node ? removeEmptyUp(removeNode(text, node), path, restoring) : text
}

function restoreSwitch(
  text: string,
  { path, value }: HookLayout['switches'][number],
  restoring: Restoring,
): string {
  const { layout, before } = restoring
  const node = findNode(parseSettings(text, layout.configPath), path)
  if (!node || getNodeValue(node) !== value) return text
  const old = before && findNode(before, path)
  if (old) return getNodeValue(old) === value ? text : replaceValue(text, node, getNodeValue(old))
  return node.parent ? removeEmptyUp(removeNode(text, node.parent), path.slice(0, -1), restoring) : text
}

function removeDefault(
  text: string,
  { path, value }: NonNullable<HookLayout['defaults']>[number],
  restoring: Restoring,
): string {
  const node = findNode(parseSettings(text, restoring.layout.configPath), path)
  if (!node?.parent || getNodeValue(node) !== value || wasThere(path, restoring)) return text
  return removeEmptyUp(removeNode(text, node.parent), path.slice(0, -1), restoring)
}

function removeEmptyUp(text: string, path: string[], restoring: Restoring): string {
  return path.reduceRight((rest, _key, at) => removeEmpty(rest, path.slice(0, at + 1), restoring), text)
}

function removeEmpty(text: string, path: string[], restoring: Restoring): string {
  const node = findNode(parseSettings(text, restoring.layout.configPath), path)
  if (!node?.parent || node.children?.length !== 0 || wasThere(path, restoring)) return text
  return removeNode(text, node.parent)
}
