// Records what a settings file was before hooks were installed in it, so that uninstalling restores it byte
// for byte.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { HookSite } from '../../model/agent.ts'
import { readText, removeFile, writeAtomic } from '../../std/file.ts'
import { asObject, asString, formatJson, parseJson } from '../../std/json.ts'

export interface OriginalFile {
  /** Undefined when there was no file. */
  original: Buffer | undefined
  /** True when its directory was made for the hooks. */
  madeDir: boolean
  /** Hash of what the installation wrote: a file that still has it was not edited since. */
  written: string
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function readOriginal(site: HookSite, configPath: string): OriginalFile | undefined {
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

export function writeOriginal(site: HookSite, configPath: string, file: OriginalFile): void {
  const record = {
    path: configPath,
    original: file.original?.toString('base64') ?? null,
    made_dir: file.madeDir,
    written: file.written,
  }
  writeAtomic(recordPath(site, configPath), formatJson(record))
}

export function forgetOriginal(site: HookSite, configPath: string): void {
  removeFile(recordPath(site, configPath))
}

function recordPath(site: HookSite, configPath: string): string {
  return join(site.keepDir, `${configPath.replace(/^\./, '').replaceAll('/', '-')}.kept.json`)
}
