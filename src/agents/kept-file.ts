// What a settings file was before we changed it, kept so that removing our hooks gives it back byte for byte.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { HookSite } from '../model/agent.ts'
import { readText, removeFile, writeAtomic } from '../std/file.ts'
import { asObject, asString, formatJson, parseJson } from '../std/json.ts'

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
  return { original: original === undefined ? undefined : Buffer.from(original, 'base64'), madeDir: record.made_dir === true, written }
}

export function writeKept(site: HookSite, configPath: string, kept: KeptFile): void {
  const record = { path: configPath, original: kept.original?.toString('base64') ?? null, made_dir: kept.madeDir, written: kept.written }
  writeAtomic(recordPath(site, configPath), formatJson(record))
}

export function forgetKept(site: HookSite, configPath: string): void {
  removeFile(recordPath(site, configPath))
}

function recordPath(site: HookSite, configPath: string): string {
  return join(site.keepDir, `${configPath.replace(/^\./, '').replaceAll('/', '-')}.kept.json`)
}
