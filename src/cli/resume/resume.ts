// Defines `entire resume` and `entire session resume`, which restore a conversation where its agent finds it.

import { buildCommand } from '@stricli/core'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { reportIfDisabled } from '../preconditions.ts'
import type { ResumeFlags } from './resume-run.ts'

const resumeFlags = {
  force: switchFlag('Do not ask, and replace newer local logs; copies of them are kept'),
  yes: switchFlag('Do not ask, but stop before replacing a newer local log'),
  json: switchFlag('Print JSON'),
}

export const resumeCommand = buildCommand<ResumeFlags, [string?], Cli>({
  async func(flags, target) {
    const repo = requireRepo(this, 'resume')
    if (reportIfDisabled(this, repo)) return
    const { resume } = await import('./resume-target.ts')
    await resume(this, repo, target, flags)
  },
  parameters: {
    flags: resumeFlags,
    aliases: { f: 'force', y: 'yes' },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'A branch, or the id of a session or checkpoint, or a prefix of it',
          placeholder: 'target',
          parse: String,
          optional: true,
        },
      ],
    },
  },
  docs: {
    brief: 'Continue the last session of a branch, a session, or a checkpoint',
    fullDescription: formatManual({
      text: [
        'Restores the stored session logs where the agents look for them on this machine and in this work tree, and prints the',
        'command that continues the conversation.',
        'Checks out a branch first, unless there are uncommitted changes. Without a name: shows a list to pick from, or, without a',
        'terminal, resumes the current branch.',
        'A name that is both a branch and an id means the branch. Ids may be shortened to four or more characters.',
        'A local log with newer entries is replaced only after asking, and a copy of it is kept. For a session named by its id the',
        'newer local log is kept.',
        'Missing data is fetched from origin, or from where checkpoints are pushed to.',
      ],
      examples: [
        ['entire resume', 'pick a branch or session'],
        ['entire resume feature/login', 'switch to a branch and continue its last session'],
        ['entire resume 6f3c0e51', 'a session, by a prefix of its id'],
        ['entire resume a3b2c4d5e6f7', 'all sessions of a checkpoint'],
        ['entire resume --json --yes feature/login', 'for scripts'],
      ],
    }),
  },
})

export const sessionResumeCommand = buildCommand<ResumeFlags, [string], Cli>({
  async func(flags, id) {
    const repo = requireRepo(this, 'session resume')
    if (reportIfDisabled(this, repo)) return
    const { resumeOneSession } = await import('./resume-target.ts')
    await resumeOneSession(this, repo, id, flags)
  },
  parameters: {
    flags: resumeFlags,
    aliases: { f: 'force', y: 'yes' },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Id of the session, or a prefix of it', placeholder: 'id', parse: String }],
    },
  },
  docs: {
    brief: 'Continue a session',
    fullDescription: formatManual({
      text: [
        'Restores the log of the session from its last checkpoint where its agent looks for it on this machine, and prints the command that continues it.',
        'A local log that is newer than that checkpoint is kept, unless --force is given.',
      ],
      examples: [
        ['entire session resume 6f3c0e51', 'by a prefix of its id'],
        ['entire session resume 6f3c0e51 --json | jq -r .sessions[0].command', 'for scripts'],
      ],
    }),
  },
})
