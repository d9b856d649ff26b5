// `entire doctor`: the check-up itself, and what helps to find out more.

import { buildCommand, buildRouteMap } from '@stricli/core'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import type { BundleFlags } from './bundle.ts'
import type { CheckUpFlags } from './check-up.ts'
import { doctorLogsCommand } from './logs.ts'
import { doctorTraceCommand } from './trace.ts'

// `entire doctor`: look at everything recording depends on, and mend what can be mended.

export const doctorManual = formatManual({
  text: [
    'Looks for stuck sessions, checkpoints left incomplete, hooks that are missing, foreign or outdated, unreadable files, locks of dead',
    'processes, branches nobody owns, links that lead nowhere, and copies of the checkpoints that drifted apart.',
    'On a terminal, every finding that can be mended is asked about. A stuck session is condensed (stored as a checkpoint) or discarded',
    '(kept for 30 days; `entire clean --undo` brings it back). With --force, it is condensed if possible, else discarded.',
    '',
    'Exit code: 0 when nothing is wrong or everything was mended, 1 when something is left.',
  ],
  examples: [
    ['entire doctor', 'look, and ask what to mend'],
    ['entire doctor --force', 'mend without questions'],
    ['entire doctor --json | jq .findings', 'for scripts'],
    ['entire doctor trace', 'where the time of recent hooks went'],
    ['entire doctor logs --level error', 'what went wrong in hooks'],
    ['entire doctor bundle', 'a file for a bug report, without secrets or prompts'],
  ],
})

export const doctorCheckCommand = buildCommand<CheckUpFlags, [], Cli>({
  async func(flags) {
    // Here, so that reading the log loads none of it.
    const { runCheckUp: runCheck } = await import('./check-up.ts')
    // The exit code of a command that did its work, and found what a script should know of.
    if (!(await runCheck(this, flags))) this.process.exitCode = 1
  },
  parameters: {
    flags: {
      force: switchFlag('Mend everything that can be mended, without a question'),
      json: switchFlag('Print the findings as JSON'),
    },
    aliases: { f: 'force' },
  },
  docs: {
    brief: 'Find and mend what is wrong',
    fullDescription: doctorManual,
  },
})

// `entire doctor bundle`: one file for a bug report.

export const doctorBundleCommand = buildCommand<BundleFlags, [], Cli>({
  async func(flags) {
    const { writeBundle } = await import('./bundle.ts')
    await writeBundle(this, flags)
  },
  parameters: {
    flags: {
      output: valueFlag('file', 'Where to write it (default: entire-bundle-<date>.tar.gz, here)'),
      json: switchFlag('Print what is in it as JSON'),
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

const routes = {
  check: doctorCheckCommand,
  trace: doctorTraceCommand,
  logs: doctorLogsCommand,
  bundle: doctorBundleCommand,
}

export const doctorCommands = buildRouteMap<keyof typeof routes, Cli>({
  routes,
  defaultCommand: 'check',
  docs: { brief: 'Find and mend what is wrong', fullDescription: doctorManual },
})
