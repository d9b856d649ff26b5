// `entire agent new`: the files of a plugin that works, to begin with.
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { EntireError } from '../../std/errors.ts'
import { writeAtomic } from '../../std/file.ts'
import type { Cli } from '../context.ts'
import { value } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { clean } from '../render/text.ts'

interface NewFlags {
  lang?: string
  dir?: string
}

export const newCommand = buildCommand<NewFlags, [string], Cli>({
  async func(flags, name) {
    const { scaffoldAgent, scaffoldLanguages } = await import('../../sdk/scaffold/scaffold-agent.ts')
    const language = scaffoldLanguages.find((each) => each === (flags.lang ?? 'ts'))
    if (language === undefined)
      throw new EntireError('bad-usage', `"${clean(flags.lang ?? '')}" is not a language there is a plugin for.`, {
        hint: `Use one of: ${scaffoldLanguages.join(', ')}.`,
      })
    const files = scaffoldAgent(name, language)
    const dir = resolve(this.cwd, flags.dir ?? `entire-agent-${name}`)
    if (existsSync(dir) && readdirSync(dir).length > 0)
      throw new EntireError('exists', `${clean(dir)} is not empty.`, { hint: 'Name another directory with --dir.' })
    for (const { path, content, executable } of files) {
      writeAtomic(join(dir, path), content, { mode: 0o644, dirMode: 0o755 })
      if (executable) chmodSync(join(dir, path), 0o755)
    }
    this.out(`Wrote ${files.length} files to ${clean(dir)}:`)
    for (const { path } of files) this.out(`  ${path}`)
    this.out(`\nRead its README.md, then try it: entire agent check ${clean(join(dir, `entire-agent-${name}`))}`)
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
