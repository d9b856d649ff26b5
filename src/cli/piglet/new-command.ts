// `piglet ext new`: the files of an extension that works, to begin with.
import { resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { formatJson } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { said, value } from '../flags.ts'
import { kitSource } from '../kit-source.ts'
import { formatManual } from '../manual.ts'
import { printScaffold, requireLanguage, writeScaffold } from '../write-scaffold.ts'

interface NewFlags {
  lang?: string
  dir?: string
  json?: boolean
}

export const newCommand = buildCommand<NewFlags, [string], Cli>({
  async func(flags, name) {
    const { scaffoldExtension } = await import('../../sdk/scaffold-extension/scaffold-extension.ts')
    const dir = resolve(this.cwd, flags.dir ?? name)
    const sdk = kitSource(this.program)
    const files = scaffoldExtension(name, requireLanguage(flags.lang), sdk === undefined ? {} : { sdk })
    writeScaffold(files, dir)
    if (flags.json) this.process.stdout.write(formatJson({ dir, files: files.map(({ path }) => path) }))
    else printScaffold(this, files, dir, `piglet ext check ${dir}`)
  },
  parameters: {
    flags: {
      lang: value('language', 'ts (default), python or sh'),
      dir: value('dir', 'Where to write it; default: <name>'),
      json: said('Print JSON'),
    },
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
