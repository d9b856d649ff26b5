// Takes our hooks out of a settings file that was edited since, and puts back what installing them changed around it.
import { getNodeValue, type Node } from 'jsonc-parser'
import { findHooks, type HookLayout, removeOurs } from './hook-settings.ts'
import { findNode, parseSettings, removeNode, replaceValue } from './json-edit.ts'

/** `original`: the file before the hooks came, where it is known. What it had stays, even when it is empty. */
export function removeHooks(text: string, layout: HookLayout, original: string | undefined): string {
  const before = original === undefined ? undefined : parseSettings(original, layout.configPath)
  const had = (path: string[]) => before !== undefined && findNode(before, path) !== undefined
  const events = new Set(findHooks(text, layout).map((hook) => hook.event))
  let edited = removeOurs(text, layout, () => false)
  for (const event of events) edited = removeEmpty(edited, layout, ['hooks', event], had)
  edited = removeEmpty(edited, layout, ['hooks'], had)
  for (const { path, value } of layout.members) edited = removeMember(edited, layout, path, value, before, had)
  // Hooks that came later may need them; those that were there before did without.
  if (before && sameHooks(parseSettings(edited, layout.configPath), before))
    for (const { path, value } of layout.defaults ?? []) edited = removeDefault(edited, layout, path, value, had)
  if (before) for (const { path, value } of layout.switches) edited = restoreSwitch(edited, layout, path, value, before, had)
  return edited
}

function sameHooks(now: Node, before: Node): boolean {
  const [a, b] = [now, before].map((root) => findNode(root, ['hooks'])).map((node) => (node === undefined ? {} : getNodeValue(node)))
  return JSON.stringify(a) === JSON.stringify(b)
}

function removeMember(text: string, layout: HookLayout, path: string[], value: string, before: Node | undefined, had: Had): string {
  const isValue = (node: Node) => node.value === value
  if (before && findNode(before, path)?.children?.some(isValue)) return text
  const node = findNode(parseSettings(text, layout.configPath), path)?.children?.findLast(isValue)
  return node ? removeEmptyUp(removeNode(text, node), layout, path, had) : text
}

function restoreSwitch(text: string, layout: HookLayout, path: string[], value: boolean, before: Node, had: Had): string {
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
