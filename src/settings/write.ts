// Changes single values in a settings file. Comments, unknown keys, order and layout of the rest stay as they
// are.

import type { SettingsFile } from '../model/settings.ts'
import { readText, removeFile, writeAtomic } from '../std/file.ts'
import { fileInside, pathInside } from '../std/inside.ts'
import { asObject, type Json } from '../std/json.ts'
import { findNode, insertProperty, parseSettings, removeNode, replaceValue } from '../std/json-edit.ts'
import { readRawSettings, settingsPaths } from './read.ts'

/** Undefined removes a key; an object changes only the keys it names. */
export interface Changes {
  [key: string]: Json | undefined | Changes
}

export function changeSettings(root: string, file: SettingsFile, changes: Changes): void {
  const path = fileInside(root, settingsPaths[file])
  const before = readText(path)
  const mark = before?.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = before?.slice(mark.length) ?? ''
  const after = applyChanges(body.trim() === '' ? '{}\n' : body, settingsPaths[file], changes)
  if (after !== body) writeAtomic(path, mark + after, { mode: 0o644 })
}

const ignoreFile = '.entire/.gitignore'
const ignored = ['tmp/', 'settings.local.json', 'metadata/', 'logs/']

/** Creates `.entire` and its `.gitignore`, or adds missing lines to it; the user's lines stay. */
export function ensureEntireDir(root: string): void {
  const path = fileInside(root, ignoreFile)
  const text = readText(path) ?? ''
  const lines = new Set(text.split('\n').map((line) => line.trim().replace(/^\//, '')))
  const missing = ignored.filter((entry) => !lines.has(entry))
  if (missing.length === 0) return
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  writeAtomic(path, `${text}${separator}${missing.join('\n')}\n`, { mode: 0o644 })
}

/** The reverse of `ensureEntireDir`: the user's lines stay, and a file without any is removed. */
export function removeIgnoredLines(root: string): void {
  const path = pathInside(root, ignoreFile)
  const text = readText(path)
  if (text === undefined) return
  const rest = text.split('\n').filter((line) => !ignored.includes(line.trim().replace(/^\//, '')))
  if (rest.every((line) => line.trim() === '')) removeFile(path)
  else if (rest.join('\n') !== text) writeAtomic(path, rest.join('\n'), { mode: 0o644 })
}

export function applyChanges(text: string, name: string, changes: Changes): string {
  return flatten(changes).reduce(
    (rest, { path, value }) =>
      value === undefined ? removeAt(rest, name, path) : setAt(rest, name, path, value),
    text,
  )
}

/**
 * Changed keys of the project's file that the local file overrides, so that the change has no effect here.
 */
export function findOverridden(root: string, changes: Changes): string[] {
  const local = readRawSettings(root, 'local')
  return flatten(changes)
    .filter(({ path, value }) => {
      const localValue = valueAt(local, path)
      return localValue !== undefined && JSON.stringify(localValue) !== JSON.stringify(value)
    })
    .map(({ path }) => path.join('.'))
}

function flatten(changes: Changes, below: string[] = []): { path: string[]; value: Json | undefined }[] {
  return Object.entries(changes).flatMap(([key, value]) => {
    const path = [...below, key]
    return isBlock(value) ? flatten(value, path) : [{ path, value: value as Json | undefined }]
  })
}

function isBlock(value: Changes[string]): value is Changes {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function setAt(text: string, name: string, path: string[], value: Json): string {
  const root = parseSettings(text, name)
  const node = findNode(root, path)
  if (node !== undefined) return replaceValue(text, node, value)
  const key = path.at(-1) as string
  const above = path.slice(0, -1)
  const parent = findNode(root, above)
  if (parent?.type === 'object') return insertProperty(text, parent, key, value)
  // A missing block is created; a value in its place is replaced.
  return setAt(text, name, above, { [key]: value })
}

function removeAt(text: string, name: string, path: string[]): string {
  const node = findNode(parseSettings(text, name), path)
  if (node?.parent === undefined) return text
  const shorter = removeNode(text, node.parent)
  const above = path.slice(0, -1)
  const isEmpty = above.length > 0 && findNode(parseSettings(shorter, name), above)?.children?.length === 0
  return isEmpty ? removeAt(shorter, name, above) : shorter
}

/** A value inside a JSON document, by its path of keys. */
export function valueAt(settings: Json, path: string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => {
    const block = asObject(value)
    return block !== undefined && Object.hasOwn(block, key) ? block[key] : undefined
  }, settings)
}
