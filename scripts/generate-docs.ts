// Writes the pages and schemas generated from the program; with --check, fails when one is out of date.
import { join } from 'node:path'
import { agents } from '../src/agents/all.ts'
import { buildCli } from '../src/cli/entire.ts'
import { buildPiglet } from '../src/cli/piglet/piglet.ts'
import { readText, writeAtomic } from '../src/std/file.ts'
import { agentKit } from './agent-kit.ts'
import { agentCapabilities } from './docs/agents.ts'
import { cliReference } from './docs/cli.ts'
import { extensionReference } from './docs/extension-protocol.ts'
import { externalAgentReference } from './docs/external-agent-protocol.ts'
import { stateMachineDoc } from './docs/state-machine.ts'
import { extensionSchemas } from './extension-schemas.ts'
import { externalAgentSchemas } from './external-agent-schemas.ts'

const schemas = [
  ...Object.entries(externalAgentSchemas()).map(
    ([name, text]) => [`schemas/external-agent/${name}`, text] as const,
  ),
  ...Object.entries(extensionSchemas()).map(([name, text]) => [`schemas/extension/${name}`, text] as const),
]
const files = new Map([
  ['docs/generated/cli.md', cliReference(await buildCli())],
  ['docs/generated/piglet.md', cliReference(buildPiglet(), 'src/cli/piglet/piglet.ts')],
  ['docs/generated/agents.md', await agentCapabilities(agents)],
  ['docs/generated/state-machine.md', stateMachineDoc()],
  ['docs/generated/external-agent-protocol.md', externalAgentReference()],
  ['docs/generated/extension-protocol.md', extensionReference()],
  ...schemas,
  ['src/sdk/scaffold/agent/ts/kit.txt', agentKit()],
])

const root = join(import.meta.dir, '..')
const isCheck = process.argv.includes('--check')
const stale = [...files].filter(([path, text]) => readText(join(root, path)) !== text)

for (const [path, text] of stale) {
  if (isCheck) console.error(`${path} is out of date. Run \`npm run docs\`.`)
  else writeAtomic(join(root, path), text, { mode: 0o644, dirMode: 0o755 })
}
process.exitCode = isCheck && stale.length > 0 ? 1 : 0
