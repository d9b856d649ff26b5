// `entire doctor logs`: what hooks and commands wrote down, readable.

import { closeSync, openSync } from 'node:fs'
import { buildCommand } from '@stricli/core'
import type { Repo } from '../../git/repo.ts'
import { EntireError } from '../../std/errors.ts'
import { findStat, readRange } from '../../std/file.ts'
import { type LogLevel, logLevels, parseLogLevel } from '../../std/log.ts'
import { formatManual, limitFlag, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { localTime } from '../render/numbers.ts'
import { clean, paint, type Style } from '../render/text.ts'
import { type LogLine, logFile, parseLogLine, readLogBackwards } from './log-file.ts'

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
    const wants = chooseLines(flags)
    const show = (text: string) => {
      const line = parseLogLine(text)
      if (wants(line))
        this.out(
          flags.json
            ? line === undefined
              ? JSON.stringify({ garbage: text })
              : text
            : describe(this, line, text),
        )
    }
    const last = readLast(repo, flags.limit ?? 50, wants)
    for (const text of last) show(text)
    if (last.length === 0 && !flags.follow && !flags.json) this.note('Nothing has been logged that fits.')
    if (flags.follow) await followLog(logFile(repo), show)
  },
  parameters: {
    flags: {
      limit: limitFlag('How many lines (default 50)'),
      session: valueFlag('id', 'Only of this session; the beginning of its id is enough'),
      level: valueFlag('level', 'Only this level and above: debug, info, warn or error'),
      follow: switchFlag('Go on printing what is written, until Ctrl-C'),
      json: switchFlag('Print the lines as they are in the file, one JSON value each'),
    },
    aliases: { n: 'limit' },
  },
  docs: {
    brief: 'Show what hooks wrote to the log',
    fullDescription: formatManual({
      text: [
        'Shows the end of .entire/logs/entire.log, oldest line first. Prompts and file contents are never logged.',
      ],
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
  throw new EntireError('bad-usage', `"${clean(text)}" is no level.`, {
    hint: `Levels: ${logLevels.join(', ')}.`,
  })
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
  const fields = rest.map(
    ([key, field]) => `${key}=${typeof field === 'string' ? field : JSON.stringify(field)}`,
  )
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

// Watches the log grow. By looking again and again: file events do not exist on every file system, and a person is watching.

const pauseMs = 200
const blockBytes = 1024 * 1024

/** Never ends by itself. */
export async function followLog(path: string, show: (line: string) => void): Promise<never> {
  const begin = findStat(path)
  let position = begin?.size ?? 0
  let inode = begin?.ino
  let rest: Buffer = Buffer.alloc(0)
  for (;;) {
    await Bun.sleep(pauseMs)
    const stat = findStat(path)
    // A full log is moved away and a new one begun.
    if (stat?.ino !== inode || (stat?.size ?? 0) < position) {
      position = 0
      rest = Buffer.alloc(0)
      inode = stat?.ino
    }
    while (stat !== undefined && position < stat.size) {
      const block = readBlock(path, position)
      if (block.length === 0) break
      position += block.length
      const joined = Buffer.concat([rest, block])
      const end = joined.lastIndexOf(10) + 1
      for (const line of joined.toString('utf8', 0, end).split('\n')) if (line !== '') show(line)
      rest = joined.length - end > blockBytes ? Buffer.alloc(0) : Buffer.from(joined.subarray(end))
    }
  }
}

function readBlock(path: string, from: number): Buffer {
  const fd = openSync(path, 'r')
  try {
    return readRange(fd, from, blockBytes)
  } finally {
    closeSync(fd)
  }
}
