// Finds extensions: those of the user, and those of the project when the user trusts it.

import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno, messageOf } from '../std/errors.ts'
import { findStat } from '../std/file.ts'
import type { Manifest } from './manifest.ts'
import { manifestName, readManifest } from './manifest.ts'
import { unknownPermissions } from './permissions.ts'

export interface Discovered {
  /** By name. Those of the project stand in for those of the user that have the same name. */
  extensions: Manifest[]
  /** In words, each naming its file. */
  problems: string[]
}

export interface ExtensionPlaces {
  /** `<config>/extensions`. */
  userDir: string
  /** `<project>/.piglet/extensions`; undefined when the project is not trusted. */
  projectDir: string | undefined
  /** Names of extensions that are not wanted. */
  disabled: string[]
  /** Directories of single extensions that somebody is working on. They stand in for others of their name. */
  also?: string[]
}

export function discoverExtensions({
  userDir,
  projectDir,
  disabled,
  also = [],
}: ExtensionPlaces): Discovered {
  const found = [scan(userDir), ...(projectDir === undefined ? [] : [scan(projectDir)]), read(also, [])]
  const byName = new Map(
    found.flatMap(({ extensions }) => extensions).map((manifest) => [manifest.name, manifest]),
  )
  const extensions = [...byName.values()]
    .filter(({ name }) => !disabled.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return { extensions, problems: found.flatMap(({ problems }) => problems) }
}

function scan(base: string): Discovered {
  const problems: string[] = []
  return read(directoriesIn(base, problems), problems)
}

function read(dirs: string[], problems: string[]): Discovered {
  const found = new Map<string, Manifest>()
  for (const dir of dirs) {
    try {
      const manifest = readManifest(dir)
      if (!manifest) continue
      const first = found.get(manifest.name)
      if (first)
        problems.push(`${dir}: ${manifest.name} is the name of ${first.dir} already, and that one is used.`)
      else {
        found.set(manifest.name, manifest)
        for (const permission of unknownPermissions(manifest))
          problems.push(
            `${join(dir, manifestName)}: permission ${permission} is none that there is, and permits nothing.`,
          )
      }
    } catch (error) {
      problems.push(messageOf(error))
    }
  }
  return { extensions: [...found.values()], problems }
}

/** Links to directories count, so that an extension can be worked on where it is kept. */
function directoriesIn(base: string, problems: string[]): string[] {
  try {
    return readdirSync(base)
      .sort()
      .map((name) => join(base, name))
      .filter((path) => findStat(path)?.isDirectory())
      .map((path) => realpathSync(path))
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) problems.push(`${base}: ${messageOf(error)}`)
    return []
  }
}
