// Builds what authors of plugins import as `entire-ts/agent-sdk`: one JavaScript file for Node, Bun and Deno, and its types.
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const entry = join(root, 'src', 'sdk', 'agent.ts')

/** Gives `<outDir>/agent-sdk.js` and `<outDir>/types/sdk/agent.d.ts`. */
export async function buildAgentSdk(outDir: string): Promise<void> {
  const built = await Bun.build({ entrypoints: [entry], target: 'node', format: 'esm', outdir: outDir, naming: 'agent-sdk.js' })
  if (!built.success) throw new AggregateError(built.logs, 'the kit for agents does not build')
  rmSync(join(outDir, 'types'), { recursive: true, force: true })
  const { exitCode, stdout } = Bun.spawnSync(
    [join(root, 'node_modules', '.bin', 'tsc'), ...typesOnly, '--outDir', join(outDir, 'types'), entry],
    {
      cwd: root,
    },
  )
  if (exitCode !== 0) throw new Error(`the types of the kit for agents cannot be written:\n${stdout}`)
}

// As in tsconfig.json, which is not read when files are named.
const typesOnly = [
  ...['--ignoreConfig', '--declaration', '--emitDeclarationOnly', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck'],
  ...['--allowImportingTsExtensions', '--target', 'ESNext', '--module', 'ESNext', '--moduleResolution', 'bundler', '--types', 'bun'],
  ...['--rootDir', 'src'],
]
