// Builds what others import: one JavaScript file each for Node, Bun and Deno, and the types of all.
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')

/** By the names under which package.json exports them. */
export const libraries = {
  'agent-sdk': 'src/sdk/agent.ts',
  'extension-sdk': 'src/sdk/extension.ts',
  'extension-host': 'src/sdk/extension-host.ts',
} as const

export type Library = keyof typeof libraries

/** Gives `<outDir>/<name>.js` without types. */
export async function bundleLibrary(name: Library, outDir: string): Promise<void> {
  const entry = join(root, libraries[name])
  const built = await Bun.build({
    entrypoints: [entry],
    target: 'node',
    format: 'esm',
    outdir: outDir,
    naming: `${name}.js`,
  })
  if (!built.success) throw new AggregateError(built.logs, `${name} does not build`)
}

/** Gives `<outDir>/<name>.js` for each, and their types below `<outDir>/types`. */
export async function buildLibraries(
  outDir: string,
  names = Object.keys(libraries) as Library[],
): Promise<void> {
  await Promise.all(names.map((name) => bundleLibrary(name, outDir)))
  const types = join(outDir, 'types')
  rmSync(types, { recursive: true, force: true })
  const entries = names.map((name) => join(root, libraries[name]))
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const { exitCode, stdout } = Bun.spawnSync([tsc, ...typesOnly, '--outDir', types, ...entries], {
    cwd: root,
  })
  if (exitCode !== 0) throw new Error(`the types of ${names.join(', ')} cannot be written:\n${stdout}`)
}

// As in tsconfig.json, which is not read when files are named.
const typesOnly = [
  ...[
    '--ignoreConfig',
    '--declaration',
    '--emitDeclarationOnly',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
  ],
  ...[
    '--allowImportingTsExtensions',
    '--target',
    'ESNext',
    '--module',
    'ESNext',
    '--moduleResolution',
    'bundler',
    '--types',
    'bun',
  ],
  ...['--rootDir', 'src'],
]
