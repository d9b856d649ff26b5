// Defines `entire session stop`, which marks a session as ended on behalf of its agent.

import { buildCommand } from '@stricli/core'
import type { Repo } from '../../git/repo.ts'
import type { Session } from '../../model/session.ts'
import { cannotCombine } from '../../std/errors.ts'
import { chooseMany, confirm } from '../ask.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { latestPromptOf, statusOf } from '../render/sessions.ts'
import { clean, cut } from '../render/text.ts'
import { readOpenSessions } from '../status/facts.ts'
import { idParameter, requireSessionByPrefix } from './find-session.ts'

interface StopFlags {
  all?: boolean
  force?: boolean
}

const noTerminalHint = 'Use --force to stop without being asked.'

export const sessionStopCommand = buildCommand<StopFlags, [id?: string], Cli>({
  async func(flags, id) {
    if (id !== undefined && flags.all) throw cannotCombine(['an id', '--all'])
    const repo = requireRepo(this, 'session stop')
    const sessions =
      id === undefined
        ? await chooseOpen(this, repo, flags)
        : await confirmOne(this, requireSessionByPrefix(repo, id), flags)
    for (const session of sessions) await stopOne(this, repo, session)
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        { ...idParameter('Id of the session, or a prefix of it; if absent, you are asked'), optional: true },
      ],
    },
    flags: {
      all: switchFlag('Stop all open sessions of all work trees'),
      force: switchFlag('Do not ask'),
    },
    aliases: { a: 'all', f: 'force' },
  },
  docs: {
    brief: 'Mark sessions as ended',
    fullDescription: formatManual({
      text: [
        'Marks sessions as ended, as their agents do when they quit. For sessions whose agent crashed or quit without reporting it.',
        'Does not stop the agent itself. Nothing is lost: uncommitted work is linked to your next commit as usual.',
      ],
      examples: [
        ['entire session stop', 'choose from the open sessions'],
        ['entire session stop 6f3c0e5', 'one, by a prefix of its id'],
        ['entire session stop --all --force', 'all, without being asked'],
      ],
    }),
  },
})

async function chooseOpen(cli: Cli, repo: Repo, flags: StopFlags): Promise<Session[]> {
  const open = readOpenSessions(repo).sessions
  const [first] = open
  if (first === undefined) {
    cli.out('No active sessions.')
    return []
  }
  if (open.length === 1) return confirmOne(cli, first, flags)
  if (flags.all) {
    const isSure =
      flags.force || (await confirm(cli, { message: `Stop ${open.length} sessions?`, noTerminalHint }))
    return isSure ? open : cancel(cli)
  }
  // --force does not choose between several sessions.
  const choices = open.map((session) => ({ value: session.id, label: labelOf(session) }))
  const ids = await chooseMany(
    cli,
    {
      message: 'Select sessions to stop',
      noTerminalHint: 'Name one by its id, or use --all. `entire session list` shows them.',
    },
    choices,
  )
  return ids === undefined ? cancel(cli) : open.filter((session) => ids.includes(session.id))
}

async function confirmOne(cli: Cli, session: Session, { force }: StopFlags): Promise<Session[]> {
  if (force || statusOf(session) === 'ended') return [session]
  const question = { message: `Stop session ${clean(session.id)}?`, detail: labelOf(session), noTerminalHint }
  return (await confirm(cli, question)) ? [session] : cancel(cli)
}

function cancel(cli: Cli): Session[] {
  cli.out('Stop cancelled.')
  return []
}

async function stopOne(cli: Cli, repo: Repo, session: Session): Promise<void> {
  const id = clean(session.id)
  if (statusOf(session) === 'ended') return cli.out(`Session ${id} is already stopped.`)
  const [{ systemRecorder }, { stopSession }, { worktreeOf }] = await Promise.all([
    import('../recorder.ts'),
    import('../../recording/stop-session.ts'),
    import('../../sessions/worktrees.ts'),
  ])
  const recorder = systemRecorder(worktreeOf(repo, session), {
    component: 'session-stop',
    session_id: session.id,
  })
  // Without the messages for the user of an agent.
  const stopped = await stopSession({ ...recorder, say: () => {} }, session)
  cli.out(`✓ Session ${id} stopped.`)
  cli.out(`  ${workText(stopped ?? session)}`)
}

function workText(session: Session): string {
  if (session.filesTouched.length > 0 || session.stepCount > 0)
    return 'Work will be captured in your next checkpoint.'
  return session.lastCheckpoint === undefined
    ? 'No work recorded.'
    : `Checkpoint: ${clean(session.lastCheckpoint)}`
}

function labelOf(session: Session): string {
  const prompt = latestPromptOf(session)
  const parts = [
    clean(session.agentType),
    statusOf(session),
    clean(session.id),
    prompt === undefined ? '' : `"${cut(prompt, 40)}"`,
  ]
  return parts.filter((part) => part !== '').join(' · ')
}
