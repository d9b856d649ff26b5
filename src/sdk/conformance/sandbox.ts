// Gives each trial its own directories, so that the tested program does not touch files of the user.

import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import type { Environment } from '../../std/environment.ts'

export interface TrialDirs {
  dir: string
  home: string
  temporary: string
}

/** A temporary directory with a subdirectory for each trial. */
export class SandboxRoot {
  readonly dir: string
  #count = 0

  constructor(prefix: string) {
    this.dir = realpathSync(mkdtempSync(join(tmpdir(), prefix)))
  }

  next(): TrialDirs {
    this.#count += 1
    const dir = join(this.dir, String(this.#count))
    const dirs = { dir, home: join(dir, 'home'), temporary: join(dir, 'tmp') }
    for (const path of [dirs.home, dirs.temporary]) mkdirSync(path, { recursive: true })
    return dirs
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The environment with another home, and without variables that begin with one of the prefixes. */
export function isolate(env: Environment, home: string, prefixes: string[]): Environment {
  const kept = Object.entries(env).filter(([name]) => !prefixes.some((prefix) => name.startsWith(prefix)))
  return { ...Object.fromEntries(kept), HOME: home, USERPROFILE: home }
}

/** The files below a directory, without those of git: their paths, each with a digest of its content. */
export function readFileDigests(root: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(root.length + 1).replaceAll(sep, '/')
    if (entry.isDirectory() || name === '.git' || name.startsWith('.git/')) continue
    files.set(
      name,
      entry.isSymbolicLink()
        ? readlinkSync(path)
        : createHash('sha256').update(readFileSync(path)).digest('hex'),
    )
  }
  return files
}

export function changedPaths(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .sort()
}
