// `entire session resume`: back to one conversation.
import { buildCommand } from '@stricli/core'
import { type Cli, requireRepo } from '../context.ts'
import { saysDisabled } from '../disabled.ts'
import { formatManual } from '../manual.ts'
import type { ResumeFlags } from '../resume/run.ts'
import { resumeFlags } from './resume.ts'

export const resumeSessionCommand = buildCommand<ResumeFlags, [string], Cli>({
  async func(flags, id) {
    const repo = requireRepo(this, 'session resume')
    if (saysDisabled(this, repo)) return
    const { resumeOneSession } = await import('../resume/resume.ts')
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
