// Builds the libraries for authors of plugins and extensions: one JavaScript file each for Node, Bun and
// Deno, and their types.
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')

/** The source of each library, by the name under which package.json exports it. */
export const libraries = {
  'agent-sdk': 'src/sdk/agent.ts',
  'extension-sdk': 'src/sdk/extension.ts',
  'extension-host': 'src/sdk/extension-host.ts',
} as const

type Library = keyof typeof libraries

/** Writes `<outDir>/<name>.js`, without types. */
async function bundleLibrary(name: Library, outDir: string): Promise<void> {
  const entry = join(root, libraries[name])
  const built = await Bun.build({
    entrypoints: [entry],
    target: 'node',
    format: 'esm',
    outdir: outDir,
    naming: `${name}.js`,
  })
  if (!built.success) throw new AggregateError(built.logs, `The library ${name} could not be built.`)
}

/** Writes `<outDir>/<name>.js` for each, and their types below `<outDir>/types`. */
export async function buildLibraries(outDir: string): Promise<void> {
  const names = Object.keys(libraries) as Library[]
  await Promise.all(names.map((name) => bundleLibrary(name, outDir)))
  const types = join(outDir, 'types')
  rmSync(types, { recursive: true, force: true })
  const entries = names.map((name) => join(root, libraries[name]))
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const { exitCode, stdout } = Bun.spawnSync([tsc, ...typesOnly, '--outDir', types, ...entries], {
    cwd: root,
  })
  if (exitCode !== 0) throw new Error(`The types of ${names.join(', ')} could not be written:\n${stdout}`)
}

// As in tsconfig.json, which tsc does not read when files are named.
const typesOnly = [
  ['--ignoreConfig', '--declaration', '--emitDeclarationOnly', '--rootDir', 'src'],
  ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--allowImportingTsExtensions'],
  ['--target', 'ESNext', '--module', 'ESNext', '--moduleResolution', 'bundler', '--types', 'bun'],
].flat()
