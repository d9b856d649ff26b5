// `piglet ext call`: runs a tool as a model would, past all interceptors.
import { buildCommand } from '@stricli/core'
import type { ToolOutcome } from '../../extensions/offer.ts'
import { formatJson } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { said, value } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { cleanLines } from '../render/text.ts'
import { extFlag, withHost } from './host.ts'
import { callByName, parseArguments } from './steps.ts'

interface CallFlags {
  ext?: readonly string[]
  record?: string
  json?: boolean
}

export const callCommand = buildCommand<CallFlags, [string, string?], Cli>({
  async func(flags, tool, args = '') {
    const given = parseArguments(args)
    const options = { ext: flags.ext, record: flags.record, quiet: flags.json }
    const outcome = await withHost(this, options, ({ host }, signal) => callByName(host, tool, given, signal))
    if (flags.json) this.process.stdout.write(formatJson(outcome))
    else for (const line of outcomeLines(outcome)) this.out(line)
    if (outcome.isError) this.process.exitCode = 1
  },
  parameters: {
    flags: { ext: extFlag, record: value('file', 'Record everything that is said into this file'), json: said('Print JSON') },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Name of the tool', parse: String, placeholder: 'tool' },
        { brief: 'Its arguments, a JSON object', parse: String, placeholder: 'json', optional: true },
      ],
    },
  },
  docs: {
    brief: 'Run a tool',
    fullDescription: formatManual({
      text: [
        'Starts the extensions, asks interceptors, runs the tool in this directory, and prints what it says. Tools of the program itself',
        '(read, write, edit, bash, grep, find, ls) can be called as well. Exit code 1 when the tool fails.',
      ],
      examples: [
        ['piglet ext call greet \'{"name": "you"}\'', 'a tool of any extension'],
        ['piglet ext call greet \'{"name": "you"}\' --ext .', 'of the one you are working on'],
        ['piglet ext call ls \'{"path": "."}\' --json', 'for scripts'],
      ],
    }),
  },
})

export function outcomeLines({ content }: ToolOutcome): string[] {
  return content.map(({ text, data, mime }) => (data ? `(an image, ${mime ?? 'of unknown kind'})` : cleanLines(text ?? '')))
}
