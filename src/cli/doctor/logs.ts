// Defines `entire doctor logs`, which shows what hooks and commands logged.

import { buildCommand } from '@stricli/core'
import type { Repo } from '../../git/repo.ts'
import { shortSessionId } from '../../model/session.ts'
import { logFile } from '../../sessions/places.ts'
import { invalidValue, useOneOf } from '../../std/errors.ts'
import { type LogLevel, logLevels, parseLogLevel } from '../../std/log.ts'
import { formatManual, limitFlag, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { localTime } from '../render/numbers.ts'
import { clean, paint, type Style } from '../render/text.ts'
import { followLog, type LogLine, parseLogLine, readLogBackwards } from './log-file.ts'

interface LogsFlags {
  limit?: number
  session?: string
  level?: string
  follow?: boolean
  json?: boolean
}

export const doctorLogsCommand = buildCommand<LogsFlags, [], Cli>({
  async func(flags) {
    const repo = requireRepo(this, 'doctor logs')
    const isWanted = lineFilter(flags)
    const show = (text: string) => {
      const line = parseLogLine(text)
      if (isWanted(line))
        this.out(
          flags.json
            ? line === undefined
              ? JSON.stringify({ garbage: text })
              : text
            : describe(this, line, text),
        )
    }
    const last = readLast(repo, flags.limit ?? 50, isWanted)
    for (const text of last) show(text)
    if (last.length === 0 && !flags.follow && !flags.json) this.note('No matching log lines.')
    if (flags.follow) await followLog(logFile(repo), show)
  },
  parameters: {
    flags: {
      limit: limitFlag('How many lines (default 50)'),
      session: valueFlag('id', 'Only lines of this session, by its id or a prefix of it'),
      level: valueFlag('level', 'Only this level and above: debug, info, warn or error'),
      follow: switchFlag('Keep printing new lines, until Ctrl-C'),
      json: switchFlag('Print the lines of the file unchanged, one JSON value each'),
    },
    aliases: { n: 'limit' },
  },
  docs: {
    brief: 'Show what hooks logged',
    fullDescription: formatManual({
      text: [
        'Shows the end of .git/entire-logs/entire.log, oldest line first. Prompts and file contents are never logged.',
      ],
      examples: [
        ['entire doctor logs', 'the last 50 lines'],
        ['entire doctor logs --level error', 'only errors'],
        ['entire doctor logs --session 5e551010 --follow', 'follow one session'],
      ],
    }),
  },
})

function lineFilter({ level, session }: LogsFlags): (line: LogLine | undefined) => boolean {
  const lowest = level === undefined ? 0 : logLevels.indexOf(requireLevel(level))
  return (line) => {
    // A line that entire did not write has neither level nor session.
    if (line === undefined) return level === undefined && session === undefined
    if (session !== undefined && !line.session?.startsWith(session)) return false
    return logLevels.indexOf(parseLogLevel(line.level) ?? 'info') >= lowest
  }
}

function requireLevel(text: string): LogLevel {
  const level = parseLogLevel(text)
  if (level !== undefined) return level
  throw invalidValue(clean(text), '--level', useOneOf(logLevels))
}

function readLast(repo: Repo, limit: number, isWanted: (line: LogLine | undefined) => boolean): string[] {
  const lines: string[] = []
  for (const text of readLogBackwards(repo)) {
    if (lines.length >= limit) break
    if (isWanted(parseLogLine(text))) lines.push(text)
  }
  return lines.reverse()
}

const styles: Partial<Record<string, Style>> = { ERROR: 'red', WARN: 'yellow', DEBUG: 'dim' }
const ownColumns = new Set(['time', 'level', 'msg', 'component', 'session_id', 'agent'])

function describe(cli: Cli, line: LogLine | undefined, text: string): string {
  if (line === undefined) return paint(cli, 'dim', `? ${clean(text).slice(0, 500)}`)
  const rest = Object.entries(line.record).filter(([key]) => !ownColumns.has(key))
  const fields = rest.map(
    ([key, field]) => `${key}=${typeof field === 'string' ? field : JSON.stringify(field)}`,
  )
  const level = line.level.padEnd(5)
  const style = styles[line.level]
  return [
    paint(cli, 'dim', clean(localTime(line.time))),
    style === undefined ? clean(level).padEnd(5) : paint(cli, style, level),
    ...(line.session === undefined ? [] : [`[${shortSessionId(clean(line.session))}]`]),
    clean(line.message),
    ...(fields.length === 0 ? [] : [paint(cli, 'dim', clean(fields.join(' ')))]),
  ].join(' ')
}
