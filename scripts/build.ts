// Builds dist/entire, one executable, laid out so that a hook loads only the code it needs; and dist/agent-sdk.js for authors of plugins.
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../src/std/version.ts'
import { buildAgentSdk } from './build-agent-sdk.ts'

const root = join(import.meta.dir, '..')
const target = join(root, 'dist', 'entire')
const fresh = `${target}.${process.pid}.tmp`

mkdirSync(join(root, 'dist'), { recursive: true })
const built = await Bun.build({
  entrypoints: [join(root, 'src/bin/entire.ts')],
  target: 'bun',
  // Splitting keeps what is imported lazily out of the start: `entire hooks …` starts twice as fast as from a single module.
  format: 'esm',
  splitting: true,
  bytecode: true,
  minify: true,
  define: { ENTIRE_VERSION: JSON.stringify(version) },
  // A user's .env or bunfig.toml in the current directory must not reach the program.
  compile: { outfile: fresh, autoloadDotenv: false, autoloadBunfig: false },
})
for (const message of built.logs) console.error(message)
if (!built.success) process.exit(1)
// A rename, because a running executable cannot be written over.
renameSync(fresh, target)
await buildAgentSdk(join(root, 'dist'))
console.log(`Built dist/entire ${version}`)
