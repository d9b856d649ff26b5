// The settings text that older extensions ask the host for.
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codes } from '../../../protocol/extension-line.ts'
import { RpcFailure } from '../../../protocol/extension-peer.ts'
import { exists, readText } from '../../../std/file.ts'

export function readExtensionText(configDir: string, name: string): string {
  if (/[/\\]/.test(name) || name === '.' || name === '..') throw new RpcFailure(codes.failed, `${name} is not the name of an extension`)
  const path = join(configDir, 'extensions', name, `${name}.md`)
  const older = join(configDir, `${name}.md`)
  if (!exists(path) && exists(older)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o750 })
    copyFileSync(older, path)
  }
  return (readText(path) ?? '').trim()
}
