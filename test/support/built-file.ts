// Finds what `npm run build` has made, and refuses what is older than the code it was made of.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dir, '../..')

export type BuiltFile =
  | 'entire'
  | 'piglet'
  | 'agent-sdk.js'
  | 'extension-sdk.js'
  | 'extension-host.js'
  /** The directory of the types of the libraries. */
  | 'types'

/** The path of `dist/<name>`. */
export function builtFile(name: BuiltFile): string {
  const path = join(root, 'dist', name)
  // `scripts/check.ts` has just built it, and code may be edited while its tests run.
  if (process.env.ENTIRE_TEST_BUILT !== '1') expectFresh(path)
  return path
}

function expectFresh(path: string): void {
  const builtAt = existsSync(path) ? statSync(path).mtimeMs : 0
  const newer = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).find(
    (file) => /(?<!\.test)\.ts$/.test(file) && statSync(join(root, 'src', file)).mtimeMs > builtAt,
  )
  if (newer !== undefined) throw new Error(`${path} is older than src/${newer}: run \`npm run build\`.`)
}
