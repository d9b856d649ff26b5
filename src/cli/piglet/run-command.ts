// `piglet ext run`: runs a command of an extension, as if it had been typed with its slash.
import { buildCommand } from '@stricli/core'
import { formatJson } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { said, value } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { extFlag, withHost } from './host.ts'
import { runByName } from './steps.ts'

interface RunFlags {
  ext?: readonly string[]
  record?: string
  json?: boolean
}

export const runCommand = buildCommand<RunFlags, [string, ...string[]], Cli>({
  async func(flags, name, ...words) {
    const options = { ext: flags.ext, record: flags.record, quiet: flags.json }
    const view = await withHost(this, options, async (headless, signal) => {
      await runByName(headless.host, name.replace(/^\//, ''), words.join(' '), signal)
      await headless.settled()
      return structuredClone(headless.view())
    })
    if (flags.json) this.process.stdout.write(formatJson(view))
  },
  parameters: {
    flags: {
      ext: extFlag,
      record: value('file', 'Record everything that is said into this file'),
      json: said('Print what was shown as JSON'),
    },
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'Name of the command, then the text for it', parse: String, placeholder: 'command' },
    },
  },
  docs: {
    brief: 'Run a command of an extension',
    fullDescription: formatManual({
      text: [
        'Starts the extensions and runs the command in this directory. Messages are printed, notifications go to standard error, and questions',
        'are asked here; where there is no terminal they are dismissed. When it starts the agent, the command ends when the agent does.',
      ],
      examples: [
        ['piglet ext run note buy milk', 'what /note buy milk would do'],
        ['piglet ext run note buy milk --ext .', 'with the extension you are working on'],
        ['piglet ext run notes --json', 'for scripts'],
      ],
    }),
  },
})
