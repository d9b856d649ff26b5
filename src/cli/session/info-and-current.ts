// Defines `entire session info` and `entire session current`, which show one session in full.

import { buildCommand } from '@stricli/core'
import type { Session } from '../../model/session.ts'
import type { TokenUsage } from '../../model/tokens.ts'
import { cannotCombine } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { parseTime } from '../../std/time.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { formatCount, localTime, timeAgo, tokensText } from '../render/numbers.ts'
import { findTrouble, latestPromptOf, statusOf, unknownText, worktreeLabel } from '../render/sessions.ts'
import { clean, cut, fit } from '../render/text.ts'
import { findCurrentSession, idParameter, requireSessionByPrefix, sessionJson } from './find-session.ts'

const mostFiles = 50

interface InfoFlags {
  json?: boolean
  transcript?: boolean
}

export const sessionInfoCommand = buildCommand<InfoFlags, [string], Cli>({
  async func(flags, id) {
    if (flags.json && flags.transcript) throw cannotCombine(['--json', '--transcript'])
    const session = requireSessionByPrefix(requireRepo(this, 'session info'), id)
    if (flags.transcript) await (await import('./live-transcript.ts')).printLiveTranscript(this, session)
    else print(this, session, flags)
  },
  parameters: {
    positional: { kind: 'tuple', parameters: [idParameter('Id of the session, or a prefix of it')] },
    flags: {
      json: switchFlag('Print JSON'),
      transcript: switchFlag('Print the current transcript of the agent'),
    },
  },
  docs: {
    brief: 'Show one session',
    fullDescription: formatManual({
      text: [
        'Shows agent, model, status, times, turns, steps, last checkpoint, tokens, last prompt and files of a session.',
      ],
      examples: [
        ['entire session info 6f3c0e5', 'by a prefix of its id'],
        ['entire session info 6f3c0e5 --transcript | jq .type', 'the conversation'],
      ],
    }),
  },
})

export const sessionCurrentCommand = buildCommand<Pick<InfoFlags, 'json'>, [], Cli>({
  func(flags) {
    const session = findCurrentSession(this, requireRepo(this, 'session current'))
    if (session !== undefined) print(this, session, flags)
    else if (flags.json) this.process.stdout.write(formatJson(null))
    else this.out('No session in this work tree.')
  },
  parameters: { flags: { json: switchFlag('Print JSON; null when there is none') } },
  docs: {
    brief: 'Show the current session of this work tree',
    fullDescription: formatManual({
      text: [
        'Shows the session whose agent runs this command, or else the one last active in this work tree.',
      ],
      examples: [
        ['entire session current', 'the last active session'],
        ['entire session current --json | jq -r .session_id', 'its id'],
      ],
    }),
  },
})

function print(cli: Cli, session: Session, { json }: InfoFlags): void {
  const lines = () => infoLines(session, cli.clock()).map((line) => `${fit(line, cli.size().columns)}\n`)
  cli.process.stdout.write(json ? formatJson(sessionJson(session)) : lines().join(''))
}

function infoLines(session: Session, now: Date): string[] {
  const trouble = findTrouble(session, now)
  const prompt = latestPromptOf(session)
  const total = tokensText(session.tokens)
  return [
    `Session ${clean(session.id)}`,
    '',
    ...fact('Agent', clean(session.agentType) || unknownText),
    ...fact('Model', clean(session.model ?? '')),
    ...fact(
      'Status',
      `${statusOf(session)}${trouble === undefined ? '' : `, ${trouble} (run 'entire doctor')`}`,
    ),
    ...fact('Worktree', worktreeText(session)),
    ...fact('Started', whenText(session.startedAt, now) ?? unknownText),
    ...fact('Ended', whenText(session.endedAt, now)),
    ...fact('Last active', whenText(session.lastInteraction, now)),
    ...fact('Turns', String(session.turnCount)),
    ...fact('Steps', String(session.stepCount)),
    ...fact('Checkpoint', clean(session.lastCheckpoint ?? '')),
    ...fact('Tokens', total),
    ...(session.tokens === undefined || total === undefined ? [] : [`  ${tokenParts(session.tokens)}`]),
    ...fact('Last prompt', prompt === undefined ? undefined : `"${cut(prompt, 100)}"`),
    ...fileLines(session.filesTouched),
  ]
}

function tokenParts(usage: TokenUsage): string {
  const parts = {
    Input: usage.input,
    'Cache read': usage.cacheRead,
    'Cache write': usage.cacheCreation,
    Output: usage.output,
  }
  return Object.entries(parts)
    .map(([name, count]) => `${name}: ${formatCount(count)}`)
    .join(' · ')
}

function worktreeText(session: Session): string {
  const path = clean(session.worktreePath)
  return session.worktreeId === '' || path === '' ? path : `${worktreeLabel(session)} (${path})`
}

function whenText(text: string | undefined, now: Date): string | undefined {
  const time = parseTime(text)
  return time && `${localTime(time.toISOString()).slice(0, 16)} (${timeAgo(time, now)})`
}

function fileLines(files: string[]): string[] {
  if (files.length === 0) return []
  const more = files.length - mostFiles
  return [
    // Longer than the column of the others, as in the original.
    `Files touched: (${files.length})`,
    ...files.slice(0, mostFiles).map((path) => `  - ${clean(path)}`),
    ...(more > 0 ? [`  … and ${more} more (--json shows all)`] : []),
  ]
}

function fact(label: string, text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : [`${label}:`.padEnd(13) + text]
}
