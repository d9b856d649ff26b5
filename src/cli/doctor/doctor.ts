// Defines `entire doctor`, which finds and fixes problems, and its subcommands.

import { buildCommand, buildRouteMap } from '@stricli/core'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import type { BundleFlags } from './bundle.ts'
import type { DoctorFlags } from './find-and-fix.ts'
import { doctorLogsCommand } from './logs.ts'
import { doctorTraceCommand } from './trace.ts'

const doctorManual = formatManual({
  text: [
    'Looks for stuck sessions, incomplete checkpoints, missing, replaced or outdated hooks, unreadable files, stale locks, shadow branches',
    'without a session, links to missing checkpoints, and copies of the checkpoints that have diverged.',
    'On a terminal, asks about each problem it can fix. A stuck session is saved as a checkpoint or discarded (and kept for 30 days:',
    '`entire clean --undo` restores it). With --force, it is saved if possible and discarded otherwise.',
    '',
    'Exit code: 0 when there are no problems or all of them were fixed, 1 when problems are left.',
  ],
  examples: [
    ['entire doctor', 'find problems, and ask which to fix'],
    ['entire doctor --force', 'fix without asking'],
    ['entire doctor --json | jq .findings', 'for scripts'],
    ['entire doctor trace', 'how long recent hooks took'],
    ['entire doctor logs --level error', 'what went wrong in hooks'],
    ['entire doctor bundle', 'a file for a bug report, without secrets or prompts'],
  ],
})

const doctorCheckCommand = buildCommand<DoctorFlags, [], Cli>({
  async func(flags) {
    // Loaded here, so that the other subcommands do not load the checks.
    const { findAndFix } = await import('./find-and-fix.ts')
    // The command succeeded; the exit code tells scripts about the problems that are left.
    if (!(await findAndFix(this, flags))) this.process.exitCode = 1
  },
  parameters: {
    flags: {
      force: switchFlag('Fix everything that can be fixed, without asking'),
      json: switchFlag('Print the findings as JSON'),
    },
    aliases: { f: 'force' },
  },
  docs: {
    brief: 'Find and fix problems',
    fullDescription: doctorManual,
  },
})

const doctorBundleCommand = buildCommand<BundleFlags, [], Cli>({
  async func(flags) {
    const { writeBundle } = await import('./bundle.ts')
    await writeBundle(this, flags)
  },
  parameters: {
    flags: {
      output: valueFlag('file', 'Where to write it (default: entire-bundle-<date>.tar.gz in this directory)'),
      json: switchFlag('Print its contents as JSON'),
    },
    aliases: { o: 'output' },
  },
  docs: {
    brief: 'Write a file for a bug report, without secrets',
    fullDescription: formatManual({
      text: [
        'Collects versions, settings, hooks, session states, the refs of entire, the end of the log and the findings of `entire doctor` in',
        'one archive. Prompts, transcripts, file contents and remote addresses are never included; secrets, your home directory and your',
        'user name are replaced. The archive stays on this machine; nothing is sent. An existing file is not overwritten.',
      ],
      examples: [
        ['entire doctor bundle', 'in this directory, with the time in its name'],
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
  docs: { brief: 'Find and fix problems', fullDescription: doctorManual },
})
