// Does what `npm install` and `npm run build` do in a project of a plugin or an extension, without a network.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../src/std/process.ts'
import { builtFile } from './built-file.ts'

const root = join(import.meta.dir, '../..')
const modules = join(root, 'node_modules')

/** Installs what the compiler needs, and nothing else. */
export function installTypes(place: string): void {
  mkdirSync(join(place, 'node_modules', '@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(join(modules, name), join(place, 'node_modules', name))
}

/** Installs the package, as `npm run build` has made it, and the packages that its types refer to. */
export function installPackage(place: string): void {
  installTypes(place)
  symlinkSync(join(modules, 'valibot'), join(place, 'node_modules', 'valibot'))
  const target = join(place, 'node_modules', 'entire-ts')
  for (const name of ['agent-sdk.js', 'extension-sdk.js', 'extension-host.js', 'types'] as const)
    cpSync(builtFile(name), join(target, 'dist', name), { recursive: true })
  const { name, version, type, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  writeFileSync(join(target, 'package.json'), JSON.stringify({ name, version, type, exports }))
}

/** Throws the messages of the compiler. */
export async function compileProject(place: string): Promise<void> {
  const { code, stdout } = await run([join(modules, '.bin', 'tsc')], { cwd: place, env: process.env })
  if (code !== 0) throw new Error(stdout.toString())
}
