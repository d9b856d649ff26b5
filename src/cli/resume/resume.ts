// `entire resume`: back to the conversation behind a branch, on any machine.

import { buildCommand } from '@stricli/core'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { reportIfDisabled } from '../preconditions.ts'
import type { ResumeFlags } from './restore.ts'

export const resumeFlags = {
  force: switchFlag('Ask nothing, and replace newer local logs; they are kept beside'),
  yes: switchFlag('Ask nothing, but stop where a newer local log would be replaced'),
  json: switchFlag('Print JSON'),
}

export const resumeCommand = buildCommand<ResumeFlags, [string?], Cli>({
  async func(flags, target) {
    const repo = requireRepo(this, 'resume')
    if (reportIfDisabled(this, repo)) return
    const { resume } = await import('./run.ts')
    await resume(this, repo, target, flags)
  },
  parameters: {
    flags: resumeFlags,
    aliases: { f: 'force', y: 'yes' },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'A branch, or the beginning of the id of a session or checkpoint',
          placeholder: 'target',
          parse: String,
          optional: true,
        },
      ],
    },
  },
  docs: {
    brief: 'Continue the session behind a branch, a session or a checkpoint',
    fullDescription: formatManual({
      text: [
        'Puts the stored session logs back where the agents look for them on this machine and in this work tree, and prints the',
        'command that continues the conversation.',
        'A branch is checked out first; uncommitted changes stop that. Without a name: a list to pick from, or the current branch',
        'where there is no terminal.',
        'A name that is both a branch and an id is taken for the branch. Ids may be shortened to four or more characters.',
        'A local log with newer entries is never replaced unasked; when it is, the old file is kept beside the new one. For a session',
        'named by its id the newer local log is kept.',
        'What is not in this clone is fetched from origin, or from where checkpoints are pushed to.',
      ],
      examples: [
        ['entire resume', 'pick a branch or session'],
        ['entire resume feature/login', 'switch to a branch and continue its last session'],
        ['entire resume 6f3c0e51', 'a session, by the beginning of its id'],
        ['entire resume a3b2c4d5e6f7', 'all sessions of a checkpoint'],
        ['entire resume --json --yes feature/login', 'for scripts'],
      ],
    }),
  },
})

// `entire session resume`: back to one conversation.

export const sessionResumeCommand = buildCommand<ResumeFlags, [string], Cli>({
  async func(flags, id) {
    const repo = requireRepo(this, 'session resume')
    if (reportIfDisabled(this, repo)) return
    const { resumeOneSession } = await import('./run.ts')
    await resumeOneSession(this, repo, id, flags)
  },
  parameters: {
    flags: resumeFlags,
    aliases: { f: 'force', y: 'yes' },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The session, or the beginning of its id', placeholder: 'id', parse: String }],
    },
  },
  docs: {
    brief: 'Continue a session',
    fullDescription: formatManual({
      text: [
        'Puts the log of the session back where its agent looks for it on this machine, from its last checkpoint, and prints the command that continues it.',
        'A local log that went on after that checkpoint is kept, unless --force is said.',
      ],
      examples: [
        ['entire session resume 6f3c0e51', 'by the beginning of its id'],
        ['entire session resume 6f3c0e51 --json | jq -r .sessions[0].command', 'for scripts'],
      ],
    }),
  },
})
