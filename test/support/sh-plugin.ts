// Writes a correct plugin in sh, with a defect in front of it where a test needs one.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const correct = readFileSync(join(import.meta.dir, 'sh-plugin.sh'), 'utf8')

export function writePlugin(dir: string, name: string, defect = ''): string {
  const path = join(dir, `entire-agent-${name}`)
  writeFileSync(path, `#!/bin/sh\n${defect}\n${correct}`)
  chmodSync(path, 0o755)
  return path
}
