// `entire doctor`: look at everything recording depends on, and mend what can be mended.
import { buildCommand } from '@stricli/core'
import type { Cli } from '../context.ts'
import { said } from '../flags.ts'
import { formatManual } from '../manual.ts'
import type { CheckFlags } from './run-check.ts'

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

export const checkCommand = buildCommand<CheckFlags, [], Cli>({
  async func(flags) {
    // Here, so that reading the log loads none of it.
    const { runCheck } = await import('./run-check.ts')
    // The exit code of a command that did its work, and found what a script should know of.
    if (!(await runCheck(this, flags))) this.process.exitCode = 1
  },
  parameters: {
    flags: {
      force: said('Mend everything that can be mended, without a question'),
      json: said('Print the findings as JSON'),
    },
    aliases: { f: 'force' },
  },
  docs: {
    brief: 'Find and mend what is wrong',
    fullDescription: doctorManual,
  },
})
