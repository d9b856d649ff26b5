// Does what `npm install` and `npm run build` do in a new plugin, without a network.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildLibraries } from '../../scripts/build-libraries.ts'
import { run } from '../../src/std/process.ts'

const modules = join(import.meta.dir, '../../node_modules')

/** Throws the messages of the compiler. */
export async function installAndBuild(place: string): Promise<void> {
  const sdk = join(place, 'node_modules', 'entire-ts')
  mkdirSync(join(place, 'node_modules', '@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types', 'valibot'])
    symlinkSync(join(modules, name), join(place, 'node_modules', name))
  await buildLibraries(join(sdk, 'dist'), ['agent-sdk'])
  const exports = { './agent-sdk': { types: './dist/types/sdk/agent.d.ts', default: './dist/agent-sdk.js' } }
  writeFileSync(
    join(sdk, 'package.json'),
    JSON.stringify({ name: 'entire-ts', version: '0.0.0', type: 'module', exports }),
  )
  const { code, stdout } = await run([join(modules, '.bin', 'tsc')], { cwd: place, env: process.env })
  if (code !== 0) throw new Error(stdout.toString())
}
