// Installs a file that Entire owns as a whole, such as a plugin that an agent loads. An edited file is
// renamed, not lost.

import { renameSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { HookInstaller, HookSite } from '../../model/agent.ts'
import { EntireError, isErrno } from '../../std/errors.ts'
import { exists, readText, removeFile, writeAtomic } from '../../std/file.ts'
import { requireInside, staysInside } from '../../std/inside.ts'
import { hashOf } from './original-file.ts'

export interface OwnedFile {
  configPath: string
  /** The whole file except its last line. */
  content(command: string): string
  /** Text that only this file has. */
  marker: string
  /** What begins a comment line in such a file. */
  comment: string
}

export function ownedFileInstaller(file: OwnedFile): HookInstaller {
  return {
    configPath: file.configPath,
    install: async (site, options) => install(file, site, options),
    uninstall: async (site) => uninstall(file, site),
    installed: async (site) => read(file, site)?.includes(file.marker) === true,
    current: async (site, options) => read(file, site) === sealed(file, options.command),
  }
}

function install(file: OwnedFile, site: HookSite, options: { command: string; force: boolean }): number {
  requireInside(site.root, file.configPath)
  const wanted = sealed(file, options.command)
  const existing = read(file, site)
  if (existing === wanted && !options.force) return 0
  if (existing !== undefined && !existing.includes(file.marker))
    throw new EntireError(
      'bad-settings',
      `${file.configPath} already exists and was not written by Entire.`,
      {
        hint: `Rename ${file.configPath} and run the command again. It was not changed.`,
      },
    )
  if (existing !== undefined && !isUntouched(file, existing)) putAside(file, site)
  writeAtomic(pathOf(file, site), wanted)
  return 1
}

function uninstall(file: OwnedFile, site: HookSite): void {
  const existing = read(file, site)
  if (existing?.includes(file.marker) !== true) return
  if (isUntouched(file, existing)) removeFile(pathOf(file, site))
  else putAside(file, site)
  removeEmptyDirs(file, site)
}

/**
 * The content with a last line that holds its hash: it shows whether the file was edited, whichever version
 * wrote it.
 */
function sealed(file: OwnedFile, command: string): string {
  const content = file.content(command)
  return `${content}${file.comment} entire:${hashOf(Buffer.from(content))}\n`
}

function isUntouched(file: OwnedFile, text: string): boolean {
  const at = text.lastIndexOf(`${file.comment} entire:`)
  return at >= 0 && text.slice(at) === `${file.comment} entire:${hashOf(Buffer.from(text.slice(0, at)))}\n`
}

// Agents do not load files with this ending.
function putAside(file: OwnedFile, site: HookSite): void {
  const path = pathOf(file, site)
  let aside = `${path}.edited`
  for (let n = 2; exists(aside); n += 1) aside = `${path}.edited-${n}`
  renameSync(path, aside)
}

function removeEmptyDirs(file: OwnedFile, site: HookSite): void {
  for (let dir = dirname(file.configPath); dir !== '.'; dir = dirname(dir)) {
    try {
      rmdirSync(join(site.root, dir))
    } catch (error) {
      if (isErrno(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR')) return
      throw error
    }
  }
}

function read(file: OwnedFile, site: HookSite): string | undefined {
  return staysInside(site.root, file.configPath) ? readText(pathOf(file, site)) : undefined
}

function pathOf(file: OwnedFile, site: HookSite): string {
  return join(site.root, file.configPath)
}
