// Defines `entire doctor`, which finds and fixes problems, and its subcommands.

import { buildCommand, buildRouteMap } from '@stricli/core'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import type { BundleFlags } from './bundle.ts'
import type { DoctorFlags } from './find-and-fix.ts'
import { doctorLogsCommand } from './logs.ts'
import type { MigrateFlags } from './migrate.ts'
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
    ['entire doctor migrate-checkpoints --dry-run', 'what the storage in the settings lacks'],
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

const doctorMigrateCommand = buildCommand<MigrateFlags, [], Cli>({
  async func(flags) {
    const { migrateCheckpoints } = await import('./migrate.ts')
    await migrateCheckpoints(this, flags)
  },
  parameters: {
    flags: {
      to: valueFlag('backend', 'One branch (branch), or one ref each (refs); default: as in the settings'),
      remove: switchFlag('Also remove from the other storage what both hold'),
      force: switchFlag('Do not ask'),
      dryRun: switchFlag('Show what would be done, and do nothing'),
      json: switchFlag('Print JSON'),
    },
    aliases: { f: 'force', d: 'dryRun' },
  },
  docs: {
    brief: 'Move checkpoints between the branch and refs of their own',
    fullDescription: formatManual({
      text: [
        'Checkpoints are stored on entire/checkpoints/v1 or in one ref each (setting checkpoints.primary.type). Commands read both, so a',
        'change of the setting requires nothing; this command brings earlier checkpoints along, for example where a branch has become too',
        'large. They keep their ids and contents, byte for byte, with author and date. Copies are compared before anything is removed, and',
        'a run that was interrupted is completed by the next one.',
        '',
        'Only --remove removes anything, and only once the settings name the new storage. From the branch a checkpoint is removed by a new',
        'commit, so the history of the branch keeps it; where there is a remote, not before its ref was pushed.',
        'Refs on remotes stay: `git push <remote> :<ref>` removes one.',
        '',
        'Checkpoints made while the storage was refs have ULIDs as ids. They stay in their refs: other programs look for them nowhere else.',
      ],
      examples: [
        ['entire doctor migrate-checkpoints --dry-run', 'what would be copied'],
        ['entire doctor migrate-checkpoints --to refs', 'a ref for each checkpoint of the branch'],
        ['entire doctor migrate-checkpoints --to branch', 'back again'],
        ['entire doctor migrate-checkpoints --remove', 'and empty the storage that is no longer used'],
      ],
    }),
  },
})

const routes = {
  check: doctorCheckCommand,
  trace: doctorTraceCommand,
  logs: doctorLogsCommand,
  bundle: doctorBundleCommand,
  'migrate-checkpoints': doctorMigrateCommand,
}

export const doctorCommands = buildRouteMap<keyof typeof routes, Cli>({
  routes,
  defaultCommand: 'check',
  docs: { brief: 'Find and fix problems', fullDescription: doctorManual },
})
