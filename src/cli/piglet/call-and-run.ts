// Defines `piglet ext call` and `piglet ext run`, which run a tool or a command of an extension.

import { buildCommand } from '@stricli/core'
import type { ToolOutcome } from '../../extensions/registry.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { cleanLines } from '../render/text.ts'
import { extFlag, withHost } from './host.ts'
import { callByName, parseJsonArguments, runByName } from './script.ts'

interface CallFlags {
  ext?: readonly string[]
  record?: string
  json?: boolean
}

export const extCallCommand = buildCommand<CallFlags, [string, string?], Cli>({
  async func(flags, tool, args = '') {
    const given = parseJsonArguments(args)
    const options = { ext: flags.ext, record: flags.record, quiet: flags.json }
    const outcome = await withHost(this, options, ({ host }, signal) => callByName(host, tool, given, signal))
    if (flags.json) this.process.stdout.write(formatJson(outcome))
    else for (const line of outcomeLines(outcome)) this.out(line)
    if (outcome.isError) this.process.exitCode = 1
  },
  parameters: {
    flags: {
      ext: extFlag,
      record: valueFlag('file', 'Record all messages in this file'),
      json: switchFlag('Print JSON'),
    },
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
        'Starts the extensions, asks interceptors, runs the tool in this directory, and prints its result. The tools of piglet itself',
        '(read, write, edit, bash, grep, find, ls) can be called, too. Exit code 1 when the tool fails.',
      ],
      examples: [
        ['piglet ext call greet \'{"name": "you"}\'', 'a tool of any extension'],
        ['piglet ext call greet \'{"name": "you"}\' --ext .', 'of the one in this directory'],
        ['piglet ext call ls \'{"path": "."}\' --json', 'for scripts'],
      ],
    }),
  },
})

function outcomeLines({ content }: ToolOutcome): string[] {
  return content.map(({ text, data, mime }) =>
    data ? `(an image, ${mime ?? 'of unknown kind'})` : cleanLines(text ?? ''),
  )
}

interface RunFlags {
  ext?: readonly string[]
  record?: string
  json?: boolean
}

export const extRunCommand = buildCommand<RunFlags, [string, ...string[]], Cli>({
  async func(flags, name, ...words) {
    const options = { ext: flags.ext, record: flags.record, quiet: flags.json }
    const view = await withHost(this, options, async (piglet, signal) => {
      await runByName(piglet.host, name.replace(/^\//, ''), words.join(' '), signal)
      await piglet.settled()
      return structuredClone(piglet.view())
    })
    if (flags.json) this.process.stdout.write(formatJson(view))
  },
  parameters: {
    flags: {
      ext: extFlag,
      record: valueFlag('file', 'Record all messages in this file'),
      json: switchFlag('Print everything that was shown as JSON'),
    },
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: {
        brief: 'Name of the command, then the text for it',
        parse: String,
        placeholder: 'command',
      },
    },
  },
  docs: {
    brief: 'Run a command of an extension',
    fullDescription: formatManual({
      text: [
        'Starts the extensions and runs the command in this directory. Messages are printed, notifications go to standard error, and questions',
        'are asked on the terminal, or dismissed without one. If it starts the agent, `run` ends when the agent does.',
      ],
      examples: [
        ['piglet ext run note buy milk', 'like /note buy milk'],
        ['piglet ext run note buy milk --ext .', 'with the extension in this directory'],
        ['piglet ext run notes --json', 'for scripts'],
      ],
    }),
  },
})
