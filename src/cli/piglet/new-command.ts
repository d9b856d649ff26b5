// `piglet ext new`: the files of an extension that works, to begin with.
import { resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import type { Cli } from '../context.ts'
import { value } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { clean } from '../render/text.ts'
import { requireLanguage, writeScaffold } from '../write-scaffold.ts'

interface NewFlags {
  lang?: string
  dir?: string
}

export const newCommand = buildCommand<NewFlags, [string], Cli>({
  async func(flags, name) {
    const { scaffoldExtension } = await import('../../sdk/scaffold-extension/scaffold-extension.ts')
    const dir = resolve(this.cwd, flags.dir ?? name)
    writeScaffold(this, scaffoldExtension(name, requireLanguage(flags.lang)), dir)
    this.out(`\nRead its README.md, then try it: piglet ext check ${clean(dir)}`)
  },
  parameters: {
    flags: { lang: value('language', 'ts (default), python or sh'), dir: value('dir', 'Where to write it; default: <name>') },
    positional: { kind: 'tuple', parameters: [{ brief: 'Name of the extension', parse: String, placeholder: 'name' }] },
  },
  docs: {
    brief: 'Begin an extension',
    fullDescription: formatManual({
      text: ['Writes an extension that passes `piglet ext check` as it is, with tests; the places for what is yours are marked in it.'],
      examples: [
        ['piglet ext new notes', 'in TypeScript'],
        ['piglet ext new notes --lang python --dir ~/src/notes', 'in Python, elsewhere'],
      ],
    }),
  },
})
