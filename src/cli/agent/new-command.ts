// `entire agent new`: the files of a plugin that works, to begin with.
import { join, resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { EntireError } from '../../std/errors.ts'
import type { Cli } from '../context.ts'
import { value } from '../flags.ts'
import { kitSource } from '../kit-source.ts'
import { formatManual } from '../manual.ts'
import { printScaffold, requireLanguage, writeScaffold } from '../write-scaffold.ts'

interface NewFlags {
  lang?: string
  dir?: string
}

export const newCommand = buildCommand<NewFlags, [string], Cli>({
  async func(flags, name) {
    const [{ scaffoldAgent }, { findAgent }] = await Promise.all([
      import('../../sdk/scaffold/scaffold-agent.ts'),
      import('../../agents/all.ts'),
    ])
    const known = findAgent(name)
    if (known !== undefined && known.executable === undefined)
      throw new EntireError('bad-usage', `${known.type} is known already: a plugin called ${name} would not be used.`, {
        hint: `\`entire enable --agent ${name}\` records it.`,
      })
    const dir = resolve(this.cwd, flags.dir ?? `entire-agent-${name}`)
    const sdk = kitSource(this.program)
    const files = scaffoldAgent(name, requireLanguage(flags.lang), sdk === undefined ? {} : { sdk })
    writeScaffold(files, dir)
    printScaffold(this, files, dir, `entire agent check ${join(dir, `entire-agent-${name}`)}`)
  },
  parameters: {
    flags: { lang: value('language', 'ts (default), python or sh'), dir: value('dir', 'Where to write it; default: entire-agent-<name>') },
    positional: { kind: 'tuple', parameters: [{ brief: 'Name of the agent', parse: String, placeholder: 'name' }] },
  },
  docs: {
    brief: 'Begin a plugin for an agent that is not known yet',
    fullDescription: formatManual({
      text: ['Writes a plugin that passes `entire agent check` as it is, with tests; the places for your agent are marked in it.'],
      examples: [
        ['entire agent new mine', 'in TypeScript'],
        ['entire agent new mine --lang python --dir ~/src/mine', 'in Python, elsewhere'],
      ],
    }),
  },
})
