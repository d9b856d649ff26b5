// Checks the plugins that run inside other agents against the types of those agents, which are installed for this in a folder of their own.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const folder = join(root, 'test', 'agent-types')
const stamp = join(folder, 'node_modules', '.installed')
const wanted = new Bun.CryptoHasher('sha256')
  .update(readFileSync(join(folder, 'package-lock.json')))
  .digest('hex')

// They are large, and change only when we say so.
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  // Newer agents ask for a newer Node than the one that only reads their types.
  const installed = run(
    ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'],
    folder,
  )
  // A package that somebody took back must not keep us from working; the types themselves are looked at wherever they can be had.
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
