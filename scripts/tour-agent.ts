// Installs the agent of the tour: the demo agent of the samples, which plays a script, and its plugin.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Script } from '../samples/agents/demo/agent.ts'
import type { Stage } from './tour-stage.ts'

const samples = join(import.meta.dir, '..', 'samples', 'agents', 'demo')

/** Puts both on the PATH, as a user of a plugin would. */
export async function installAgent(stage: Stage, script: Script): Promise<void> {
  for (const name of ['demo-agent', 'entire-agent-demo']) {
    const built = await Bun.build({
      entrypoints: [join(samples, `${name}.ts`)],
      target: 'node',
      format: 'cjs',
    })
    writeFileSync(join(stage.bin, name), `#!/usr/bin/env node\n${await built.outputs[0]?.text()}`)
    chmodSync(join(stage.bin, name), 0o755)
  }
  mkdirSync(join(stage.home, '.demo-agent'))
  writeFileSync(join(stage.home, '.demo-agent', 'script.json'), JSON.stringify(script))
}
