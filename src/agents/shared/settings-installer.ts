// Installs hooks into a settings file the user owns: only our entries change, and uninstalling leaves no trace.

import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, readlinkSync, realpathSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { HookInstaller, HookSite } from '../../model/agent.ts'
import { EntireError, isErrno } from '../../std/errors.ts'
import { exists, readBytes, readText, removeFile, writeAtomic } from '../../std/file.ts'
import { asObject, asString, formatJson, parseJson } from '../../std/json.ts'
import { addHooks, findHooks, type HookLayout, removeHooks } from './hook-settings.ts'

export function fileInstaller(layout: HookLayout): HookInstaller {
  return {
    configPath: layout.configPath,
    install: async (site, options) => install(layout, site, options),
    uninstall: async (site) => uninstall(layout, site),
    installed: async (site) => isInstalled(layout, site),
    current: async (site, options) => isCurrent(layout, site, options.command),
  }
}

function install(layout: HookLayout, site: HookSite, options: { command: string; force: boolean }): number {
  const path = configFile(layout, site)
  const bytes = readBytes(path)
  const text = decode(bytes, layout)
  const result = addHooks(text.body, layout, options)
  if (bytes !== undefined && result.text === text.body) return result.added
  const written = Buffer.from(text.mark + result.text)
  // The record comes first: whoever dies between the two writes leaves a file that is not the recorded one, and so is not replaced.
  writeKept(site, layout.configPath, { ...originalOf(layout, site, path, bytes), written: hashOf(written) })
  write(path, written)
  return result.added
}

/** What to give back: what was kept before if the file is still as we left it, else the file as it is now without our hooks. */
function originalOf(
  layout: HookLayout,
  site: HookSite,
  path: string,
  bytes: Buffer | undefined,
): Omit<KeptFile, 'written'> {
  if (bytes === undefined) return { original: undefined, madeDir: !exists(dirname(path)) }
  const kept = readKept(site, layout.configPath)
  if (kept?.written === hashOf(bytes)) return kept
  const { mark, body } = decode(bytes, layout)
  if (findHooks(body, layout).length === 0) return { original: bytes, madeDir: false }
  return { original: Buffer.from(mark + removeHooks(body, layout, keptText(kept, layout))), madeDir: false }
}

function uninstall(layout: HookLayout, site: HookSite): void {
  const path = configFile(layout, site)
  const bytes = readBytes(path)
  const kept = readKept(site, layout.configPath)
  if (bytes !== undefined) {
    if (kept?.written === hashOf(bytes)) giveBack(path, kept, site)
    else removeFrom(layout, { path, bytes, kept, site })
  }
  forgetKept(site, layout.configPath)
}

function giveBack(path: string, kept: KeptFile, site: HookSite): void {
  if (kept.original !== undefined) write(path, kept.original)
  else removeFile(path)
  if (kept.madeDir) removeEmptyDirs(dirname(path), site.root)
}

interface EditedFile {
  path: string
  bytes: Buffer
  kept: KeptFile | undefined
  site: HookSite
}

function removeFrom(layout: HookLayout, { path, bytes, kept, site }: EditedFile): void {
  const { mark, body } = decode(bytes, layout)
  const rest = removeHooks(body, layout, keptText(kept, layout))
  if (kept && kept.original === undefined && rest.trim() === '{}') giveBack(path, kept, site)
  else if (rest !== body) write(path, Buffer.from(mark + rest))
}

function keptText(kept: KeptFile | undefined, layout: HookLayout): string | undefined {
  return kept && decode(kept.original, layout).body
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

/** The file itself: one that is a link to elsewhere stays a link. */
function configFile(layout: HookLayout, site: HookSite): string {
  const path = join(site.root, layout.configPath)
  if (exists(path)) return realpathSync(path)
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
  return isLink ? resolve(dirname(path), readlinkSync(path)) : path
}

/** Text without its byte order mark; a file without anything in it counts as an empty object. */
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

// What a settings file was before we changed it, kept so that removing our hooks gives it back byte for byte.

export interface KeptFile {
  /** Undefined when there was no file. */
  original: Buffer | undefined
  /** True when its directory came with our hooks. */
  madeDir: boolean
  /** Hash of what we wrote: a file that still has it was not touched since. */
  written: string
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function readKept(site: HookSite, configPath: string): KeptFile | undefined {
  const record = asObject(parseJson(readText(recordPath(site, configPath)) ?? ''))
  const written = asString(record?.written)
  if (!record || written === undefined) return undefined
  const original = asString(record.original)
  return {
    original: original === undefined ? undefined : Buffer.from(original, 'base64'),
    madeDir: record.made_dir === true,
    written,
  }
}

export function writeKept(site: HookSite, configPath: string, kept: KeptFile): void {
  const record = {
    path: configPath,
    original: kept.original?.toString('base64') ?? null,
    made_dir: kept.madeDir,
    written: kept.written,
  }
  writeAtomic(recordPath(site, configPath), formatJson(record))
}

export function forgetKept(site: HookSite, configPath: string): void {
  removeFile(recordPath(site, configPath))
}

function recordPath(site: HookSite, configPath: string): string {
  return join(site.keepDir, `${configPath.replace(/^\./, '').replaceAll('/', '-')}.kept.json`)
}
