// Starts Bun for the npm scripts. The package of Bun contains a stub that its install script replaces; where install
// scripts are disabled, this replaces it on the first run, so that every npm script works after any `npm ci`.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const bun = fileURLToPath(new URL('../node_modules/bun/bin/bun.exe', import.meta.url))
const installer = fileURLToPath(new URL('../node_modules/bun/install.js', import.meta.url))

if (!existsSync(bun)) {
  console.error('The development tools are not installed. Run `npm ci` first.')
  process.exit(1)
}
// The stub has a few hundred bytes, the program about a hundred million.
if (statSync(bun).size < 1_000_000) {
  const { status } = spawnSync(process.execPath, [installer], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
const { status, error } = spawnSync(bun, process.argv.slice(2), { stdio: 'inherit' })
if (error) console.error(error.message)
process.exit(status ?? 1)
