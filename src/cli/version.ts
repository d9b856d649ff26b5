// Defines `entire version`, which prints the version of the program, its runtime and the platform.

import { arch, platform } from 'node:os'
import { buildCommand } from '@stricli/core'
import { formatJson } from '../std/json.ts'
import { version } from '../std/version.ts'
import { formatManual, switchFlag } from './command-parts.ts'
import type { Cli } from './context.ts'

export const versionCommand = buildCommand<{ json?: boolean }, [], Cli>({
  func({ json }) {
    const facts = { version, runtime: `bun ${Bun.version}`, platform: `${platform()}/${arch()}` }
    this.process.stdout.write(
      json ? formatJson(facts) : `Entire CLI ${version} (${facts.runtime}, ${facts.platform})\n`,
    )
  },
  parameters: { flags: { json: switchFlag('Print JSON') } },
  docs: {
    brief: 'Print the version',
    fullDescription: formatManual({
      text: ['Prints the version of the program, its runtime and the platform.'],
      examples: [['entire version --json', 'for scripts and bug reports']],
    }),
  },
})
