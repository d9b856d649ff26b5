// Writes the reference pages that are made from the program itself; with --check fails when one of them is out of date.
import { join } from 'node:path'
import { buildCli } from '../src/cli/app.ts'
import { cliReference } from '../src/cli/reference.ts'
import { stateMachineDoc } from '../src/session/machine-doc.ts'
import { readText, writeAtomic } from '../src/std/file.ts'

const cli = await buildCli()
const pages: Record<string, () => string> = {
  'cli.md': () => cliReference(cli),
  'state-machine.md': stateMachineDoc,
}

const dir = join(import.meta.dir, '..', 'docs', 'generated')
const check = process.argv.includes('--check')
const stale = Object.entries(pages).filter(([name, generate]) => readText(join(dir, name)) !== generate())

for (const [name, generate] of stale) {
  if (check) console.error(`docs/generated/${name} is out of date. Run \`npm run docs\`.`)
  else writeAtomic(join(dir, name), generate(), { mode: 0o644, dirMode: 0o755 })
}
process.exitCode = check && stale.length > 0 ? 1 : 0
