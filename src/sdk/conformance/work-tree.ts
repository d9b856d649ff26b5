// The files of a repository, to see what a plugin has changed in it.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, sep } from 'node:path'

/** A mark of the content by path, without what belongs to git. */
export function readTree(root: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(root.length + 1).replaceAll(sep, '/')
    if (entry.isDirectory() || name === '.git' || name.startsWith('.git/')) continue
    files.set(name, entry.isSymbolicLink() ? readlinkSync(path) : createHash('sha256').update(readFileSync(path)).digest('hex'))
  }
  return files
}

export function changedPaths(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path)).sort()
}
