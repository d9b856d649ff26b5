// Files that a rollout says were written: as an item of its own, or in what the tool printed where there is no item.
import { isAbsolute, join } from 'node:path'
import { asArray, asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'

const printed = /^Success\. Updated the following files:\n((?:[AMD] .+(?:\n|$))+)/m

/** Of a patch that was applied: paths, and where files were moved to. */
export function changesOf(patch: JsonObject): string[] {
  return Object.entries(asObject(patch.changes) ?? {}).flatMap(([path, change]) => [path, ...movedTo(asObject(change))])
}

function movedTo(change: JsonObject | undefined): string[] {
  const path = text(change?.move_path) ?? text(asObject(change?.update)?.move_path)
  return path === undefined ? [] : [path]
}

/** Of what a tool gave back: patches that are applied through the shell are seen nowhere else. */
export function printedFiles(output: unknown): string[] {
  const list = printed.exec(wordsOf(output))?.[1] ?? ''
  return list.split('\n').flatMap((line) => line.slice(2) || [])
}

/** Where a path is meant: tools name files from the directory the session works in. */
export function resolveFile(path: string, cwd: string | undefined): string {
  return isAbsolute(path) || cwd === undefined ? path : join(cwd, path)
}

// Text, parts of text, or in older versions an object written as text.
function wordsOf(output: unknown): string {
  if (typeof output !== 'string')
    return asArray(output)
      .map((part) => asString(asObject(part)?.text) ?? '')
      .join('\n')
  return output.startsWith('{') ? (asString(asObject(parseJson(output))?.output) ?? output) : output
}
