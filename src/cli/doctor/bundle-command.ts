// `entire doctor bundle`: one file for a bug report.
import { buildCommand } from '@stricli/core'
import type { Cli } from '../context.ts'
import { said, value } from '../flags.ts'
import { formatManual } from '../manual.ts'
import type { BundleFlags } from './write-bundle.ts'

export const bundleCommand = buildCommand<BundleFlags, [], Cli>({
  async func(flags) {
    const { writeBundle } = await import('./write-bundle.ts')
    await writeBundle(this, flags)
  },
  parameters: {
    flags: {
      output: value('file', 'Where to write it (default: entire-bundle-<date>.tar.gz, here)'),
      json: said('Print what is in it as JSON'),
    },
    aliases: { o: 'output' },
  },
  docs: {
    brief: 'Write a file for a bug report, without secrets',
    fullDescription: formatManual({
      text: [
        'Versions, settings, hooks, states of sessions, our refs, the end of the log and the findings of `entire doctor` in one archive.',
        'Prompts, transcripts, contents of files and addresses of remotes are never in it; secrets are replaced, and so are your home',
        'directory and your name. It is written to this machine and sent nowhere. A file that exists is not written over.',
      ],
      examples: [
        ['entire doctor bundle', 'here, with the time in its name'],
        ['entire doctor bundle --output /tmp/report.tar.gz', 'somewhere else'],
      ],
    }),
  },
})
