// Installs hooks into a settings file that belongs to the user: only entries of Entire change, and
// uninstalling leaves no trace.

import { chmodSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { HookInstaller, HookSite } from '../../model/agent.ts'
import { EntireError, isErrno } from '../../std/errors.ts'
import { exists, readBytes, removeFile, writeAtomic } from '../../std/file.ts'
import { followLinks, requireInside, staysInside } from '../../std/inside.ts'
import { addHooks, findHooks, type HookLayout, removeHooks } from './hook-settings.ts'
import { forgetOriginal, hashOf, type OriginalFile, readOriginal, writeOriginal } from './original-file.ts'

export function settingsInstaller(layout: HookLayout): HookInstaller {
  return {
    configPath: layout.configPath,
    install: async (site, options) => install(layout, site, options),
    uninstall: async (site) => uninstall(layout, site),
    installed: async (site) => isInstalled(layout, site),
    current: async (site, options) => isCurrent(layout, site, options.command),
  }
}

function install(layout: HookLayout, site: HookSite, options: { command: string; force: boolean }): number {
  requireInside(site.root, layout.configPath)
  const path = configFile(layout, site)
  const bytes = readBytes(path)
  const text = decode(bytes, layout)
  const result = addHooks(text.body, layout, options)
  if (bytes !== undefined && result.text === text.body) return result.added
  const written = Buffer.from(text.mark + result.text)
  // The record comes first: a process that dies between the two writes leaves a file that is not the recorded
  // one, and an uninstall does not replace such a file.
  writeOriginal(site, layout.configPath, {
    ...originalOf(layout, site, path, bytes),
    written: hashOf(written),
  })
  write(path, written)
  return result.added
}

/**
 * The file to restore when the hooks are uninstalled: the recorded one if the settings file is still as it
 * was written, else the settings file as it is now without the hooks.
 */
function originalOf(
  layout: HookLayout,
  site: HookSite,
  path: string,
  bytes: Buffer | undefined,
): Omit<OriginalFile, 'written'> {
  if (bytes === undefined) return { original: undefined, madeDir: !exists(dirname(path)) }
  const recorded = readOriginal(site, layout.configPath)
  if (recorded?.written === hashOf(bytes)) return recorded
  const { mark, body } = decode(bytes, layout)
  if (findHooks(body, layout).length === 0) return { original: bytes, madeDir: false }
  return {
    original: Buffer.from(mark + removeHooks(body, layout, originalText(recorded, layout))),
    madeDir: false,
  }
}

function uninstall(layout: HookLayout, site: HookSite): void {
  const path = configFile(layout, site)
  const bytes = staysInside(site.root, layout.configPath) ? readBytes(path) : undefined
  const recorded = readOriginal(site, layout.configPath)
  if (bytes !== undefined) {
    if (recorded?.written === hashOf(bytes)) restore(path, recorded, site)
    else removeFromEdited(layout, { path, bytes, recorded, site })
  }
  forgetOriginal(site, layout.configPath)
}

function restore(path: string, recorded: OriginalFile, site: HookSite): void {
  if (recorded.original !== undefined) write(path, recorded.original)
  else removeFile(path)
  if (recorded.madeDir) removeEmptyDirs(dirname(path), site.root)
}

interface EditedFile {
  path: string
  bytes: Buffer
  recorded: OriginalFile | undefined
  site: HookSite
}

function removeFromEdited(layout: HookLayout, { path, bytes, recorded, site }: EditedFile): void {
  const { mark, body } = decode(bytes, layout)
  const rest = removeHooks(body, layout, originalText(recorded, layout))
  if (recorded && recorded.original === undefined && rest.trim() === '{}') restore(path, recorded, site)
  else if (rest !== body) write(path, Buffer.from(mark + rest))
}

function originalText(recorded: OriginalFile | undefined, layout: HookLayout): string | undefined {
  return recorded && decode(recorded.original, layout).body
}

function isInstalled(layout: HookLayout, site: HookSite): boolean {
  try {
    return findHooks(decode(readBytes(configFile(layout, site)), layout).body, layout).length > 0
  } catch (error) {
    if (error instanceof EntireError) return false
    throw error
  }
}

function isCurrent(layout: HookLayout, site: HookSite, command: string): boolean {
  try {
    const { body } = decode(readBytes(configFile(layout, site)), layout)
    return addHooks(body, layout, { command, force: false }).text === body
  } catch (error) {
    if (error instanceof EntireError) return false
    throw error
  }
}

/** The file itself, so that a symbolic link to it stays one. */
function configFile(layout: HookLayout, site: HookSite): string {
  const path = join(site.root, layout.configPath)
  return followLinks(path) ?? path
}

/** The text without its byte order mark; an empty file counts as an empty object. */
function decode(bytes: Buffer | undefined, layout: HookLayout): { mark: string; body: string } {
  const text = bytes?.toString('utf8') ?? ''
  if (bytes && !Buffer.from(text).equals(bytes))
    throw new EntireError('bad-settings', `${layout.configPath} is not UTF-8 text.`, {
      hint: `Save ${layout.configPath} as UTF-8 and run the command again. It was not changed.`,
    })
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(mark.length)
  return { mark, body: body.trim() === '' ? '{}\n' : body }
}

function write(path: string, bytes: Uint8Array): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  writeAtomic(path, bytes)
  if (mode !== undefined) chmodSync(path, mode & 0o777)
}

function removeEmptyDirs(path: string, root: string): void {
  if (path === root || !path.startsWith(root)) return
  try {
    rmdirSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) return
    throw error
  }
  removeEmptyDirs(dirname(path), root)
}
