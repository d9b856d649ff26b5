// Finds extensions: those of the user, those of a trusted project, and single directories named by the
// caller.

import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno, messageOf } from '../std/errors.ts'
import { findStat } from '../std/file.ts'
import type { Manifest } from './manifest.ts'
import { manifestName, readManifest } from './manifest.ts'
import { unknownPermissions } from './permissions.ts'

export interface Discovered {
  /** Sorted by name. An extension of the project replaces one of the user with the same name. */
  extensions: Manifest[]
  /** For people; each names its file. */
  problems: string[]
}

export interface ExtensionPlaces {
  /** `<config>/extensions`. */
  userDir: string
  /** `<project>/.piglet/extensions`; undefined when the project is not trusted. */
  projectDir: string | undefined
  /** Names of extensions that are not to run. */
  disabled: string[]
  /** Directories of single extensions, such as one being developed. They replace others of their name. */
  also?: string[]
}

export function discoverExtensions({
  userDir,
  projectDir,
  disabled,
  also = [],
}: ExtensionPlaces): Discovered {
  const found = [
    scanDir(userDir),
    ...(projectDir === undefined ? [] : [scanDir(projectDir)]),
    readManifests(also, []),
  ]
  const byName = new Map(
    found.flatMap(({ extensions }) => extensions).map((manifest) => [manifest.name, manifest]),
  )
  const extensions = [...byName.values()]
    .filter(({ name }) => !disabled.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return { extensions, problems: found.flatMap(({ problems }) => problems) }
}

function scanDir(base: string): Discovered {
  const problems: string[] = []
  return readManifests(directoriesIn(base, problems), problems)
}

function readManifests(dirs: string[], problems: string[]): Discovered {
  const found = new Map<string, Manifest>()
  for (const dir of dirs) {
    try {
      const manifest = readManifest(dir)
      if (!manifest) continue
      const first = found.get(manifest.name)
      if (first)
        problems.push(`${dir}: the name ${manifest.name} is taken by ${first.dir}, which is used instead.`)
      else {
        found.set(manifest.name, manifest)
        for (const permission of unknownPermissions(manifest))
          problems.push(
            `${join(dir, manifestName)}: permission ${permission} does not exist, and permits nothing.`,
          )
      }
    } catch (error) {
      problems.push(messageOf(error))
    }
  }
  return { extensions: [...found.values()], problems }
}

/** Links to directories count, so that an extension can be developed in another place. */
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
