// `entire doctor logs`: what hooks and commands wrote down, readable.
import { buildCommand } from '@stricli/core'
import type { Repo } from '../../git/repo.ts'
import { EntireError } from '../../std/errors.ts'
import { type LogLevel, logLevels, parseLogLevel } from '../../std/log.ts'
import { type Cli, requireRepo } from '../context.ts'
import { said, value } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { paint, type Style } from '../render/colour.ts'
import { clean } from '../render/text.ts'
import { localTime } from '../render/time.ts'
import { followLog } from './follow-log.ts'
import { limitFlag } from './limit-flag.ts'
import { type LogLine, logFile, parseLogLine, readLogBackwards } from './log-file.ts'

interface LogsFlags {
  limit?: number
  session?: string
  level?: string
  follow?: boolean
  json?: boolean
}

export const logsCommand = buildCommand<LogsFlags, [], Cli>({
  async func(flags) {
    const repo = requireRepo(this, 'doctor logs')
    const wants = chooseLines(flags)
    const show = (text: string) => {
      const line = parseLogLine(text)
      if (wants(line)) this.out(flags.json ? (line === undefined ? JSON.stringify({ garbage: text }) : text) : describe(this, line, text))
    }
    const last = readLast(repo, flags.limit ?? 50, wants)
    for (const text of last) show(text)
    if (last.length === 0 && !flags.follow && !flags.json) this.note('Nothing has been logged that fits.')
    if (flags.follow) await followLog(logFile(repo), show)
  },
  parameters: {
    flags: {
      limit: limitFlag('How many lines (default 50)'),
      session: value('id', 'Only of this session; the beginning of its id is enough'),
      level: value('level', 'Only this level and above: debug, info, warn or error'),
      follow: said('Go on printing what is written, until Ctrl-C'),
      json: said('Print the lines as they are in the file, one JSON value each'),
    },
    aliases: { n: 'limit' },
  },
  docs: {
    brief: 'Show what hooks wrote to the log',
    fullDescription: formatManual({
      text: ['Shows the end of .entire/logs/entire.log, oldest line first. Prompts and file contents are never logged.'],
      examples: [
        ['entire doctor logs', 'the last 50 lines'],
        ['entire doctor logs --level error', 'only what went wrong'],
        ['entire doctor logs --session 5e551010 --follow', 'watch one session'],
      ],
    }),
  },
})

function chooseLines({ level, session }: LogsFlags): (line: LogLine | undefined) => boolean {
  const lowest = level === undefined ? 0 : logLevels.indexOf(requireLevel(level))
  return (line) => {
    // What is no line of ours has neither level nor session.
    if (line === undefined) return level === undefined && session === undefined
    if (session !== undefined && !line.session?.startsWith(session)) return false
    return logLevels.indexOf(parseLogLevel(line.level) ?? 'info') >= lowest
  }
}

function requireLevel(text: string): LogLevel {
  const level = parseLogLevel(text)
  if (level !== undefined) return level
  throw new EntireError('bad-usage', `"${clean(text)}" is no level.`, { hint: `Levels: ${logLevels.join(', ')}.` })
}

function readLast(repo: Repo, limit: number, wants: (line: LogLine | undefined) => boolean): string[] {
  const lines: string[] = []
  for (const text of readLogBackwards(repo)) {
    if (lines.length >= limit) break
    if (wants(parseLogLine(text))) lines.push(text)
  }
  return lines.reverse()
}

const styles: Partial<Record<string, Style>> = { ERROR: 'red', WARN: 'yellow', DEBUG: 'dim' }
const shownApart = new Set(['time', 'level', 'msg', 'component', 'session_id', 'agent'])

function describe(cli: Cli, line: LogLine | undefined, text: string): string {
  if (line === undefined) return paint(cli, 'dim', `? ${clean(text).slice(0, 500)}`)
  const rest = Object.entries(line.record).filter(([key]) => !shownApart.has(key))
  const fields = rest.map(([key, field]) => `${key}=${typeof field === 'string' ? field : JSON.stringify(field)}`)
  const level = line.level.padEnd(5)
  const style = styles[line.level]
  return [
    paint(cli, 'dim', clean(localTime(line.time))),
    style === undefined ? clean(level).padEnd(5) : paint(cli, style, level),
    ...(line.session === undefined ? [] : [`[${clean(line.session).slice(0, 8)}]`]),
    clean(line.message),
    ...(fields.length === 0 ? [] : [paint(cli, 'dim', clean(fields.join(' ')))]),
  ].join(' ')
}
