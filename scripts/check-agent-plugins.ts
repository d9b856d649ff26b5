// Checks the plugins that run inside agents against the types of these agents, installed in test/agent-types.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const folder = join(root, 'test', 'agent-types')
const stamp = join(folder, 'node_modules', '.installed')
const wanted = new Bun.CryptoHasher('sha256')
  .update(readFileSync(join(folder, 'package-lock.json')))
  .digest('hex')

// The packages are large and change only with the lock file.
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  // Without scripts: newer agents require a newer Node, but only their types are read.
  const installed = run(
    ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'],
    folder,
  )
  // A package that was removed from the registry must not block development; the types are checked where they
  // can be installed.
  if (installed !== 0) {
    console.log(
      'The packages of the agents could not be installed, so the plugins were not checked against their types.',
    )
    process.exit(0)
  }
  writeFileSync(stamp, wanted)
}
process.exit(run([join(root, 'node_modules', '.bin', 'tsc'), '--project', folder], root))

function run(command: string[], cwd: string): number {
  return Bun.spawnSync(command, { cwd, stdin: 'ignore', stdout: 'inherit', stderr: 'inherit' }).exitCode
}
