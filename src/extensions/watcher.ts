// Notices when the files of an extension change. A build touches files many times, often without changing
// them, so the watcher waits until they are quiet and then compares their content.

import { createHash } from 'node:crypto'
import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { findStat, readBytes } from '../std/file.ts'
import type { Manifest } from './manifest.ts'
import { manifestName } from './manifest.ts'
import { isScript, runtimeCommand } from './runtime.ts'

export interface Watcher {
  close(): void
}

const quietMs = 500
const pollMs = 2000
const maxHashedBytes = 16 * 1024 * 1024

export function watchExtension(
  manifest: Manifest,
  onChange: () => void,
  times = { quietMs, pollMs },
): Watcher {
  const paths = watchedPaths(manifest)
  let known = signature(paths)
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const now = signature(paths)
    if (now === known) return
    known = now
    onChange()
  }
  const lookLater = () => {
    clearTimeout(timer)
    timer = setTimeout(look, times.quietMs)
    timer.unref?.()
  }
  const watchers = watchDirs(paths, lookLater)
  // Polls where the system cannot watch.
  const poll = watchers === undefined ? setInterval(lookLater, times.pollMs) : undefined
  poll?.unref?.()
  return {
    close() {
      clearTimeout(timer)
      clearInterval(poll)
      for (const watcher of watchers ?? []) watcher.close()
    },
  }
}

/** The manifest, the program, and what the manifest says to watch. */
function watchedPaths(manifest: Manifest): string[] {
  const { dir, entry } = manifest
  const program = isScript(manifest) ? [] : [runtimeCommand(manifest)[0] ?? '']
  const named = [manifestName, entry, ...manifest.watch]
    .filter((path) => path !== '')
    .map((path) => join(dir, path))
  return [...new Set([...named, ...program])]
}

// Watches directories, because files are often replaced by others of the same name.
function watchDirs(paths: string[], onEvent: () => void): FSWatcher[] | undefined {
  const dirs = new Set(
    paths.flatMap((path) => [dirname(path), ...(findStat(path)?.isDirectory() ? directoriesIn(path) : [])]),
  )
  const watchers: FSWatcher[] = []
  try {
    for (const dir of dirs) {
      const watcher = watch(dir, { persistent: false }, onEvent)
      watcher.on('error', () => watcher.close())
      watchers.push(watcher)
    }
    return watchers
  } catch {
    for (const watcher of watchers) watcher.close()
    return undefined
  }
}

function directoriesIn(dir: string): string[] {
  return [
    dir,
    ...entriesOf(dir).flatMap((entry) => (entry.isDirectory() ? directoriesIn(join(dir, entry.name)) : [])),
  ]
}

function signature(paths: string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(`${path}\0${contentOf(path)}\0`)
  return hash.digest('hex')
}

function contentOf(path: string): string {
  const stat = findStat(path)
  if (!stat) return ''
  if (stat.isDirectory())
    return entriesOf(path)
      .map((entry) => `${entry.name}\0${contentOf(join(path, entry.name))}`)
      .join('\0')
  if (!stat.isFile() || stat.size > maxHashedBytes) return `${stat.size} ${stat.mtimeMs}`
  return createHash('sha256')
    .update(readBytes(path) ?? '')
    .digest('hex')
}

function entriesOf(dir: string) {
  return readdirSync(dir, { withFileTypes: true }).filter(
    ({ name }) => name !== 'node_modules' && name !== '.git',
  )
}
