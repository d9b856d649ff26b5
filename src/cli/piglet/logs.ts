// Defines `piglet ext logs`, which shows the log lines and the output of extensions.

import { buildCommand } from '@stricli/core'
import { invalidValue, useOneOf } from '../../std/errors.ts'
import { logLevels, parseLogLevel } from '../../std/log.ts'
import { formatManual, limitFlag, switchFlag, valueFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { followLog, type LogLine, parseLogLine, readFilesBackwards } from '../doctor/log-file.ts'
import { localTime } from '../render/numbers.ts'
import { clean, paint, type Style } from '../render/text.ts'
import { configDirOf, findExtension, findPigletPlaces, logFileOf } from './places.ts'

interface LogsFlags {
  limit?: number
  level?: string
  follow?: boolean
  json?: boolean
}

export const extLogsCommand = buildCommand<LogsFlags, [string?], Cli>({
  async func(flags, extension) {
    const path = logFileOf(configDirOf(this))
    const isWanted = lineFilter(flags.level, extension)
    const show = (text: string) => {
      const line = parseLogLine(text)
      if (line && isWanted(line)) this.out(flags.json ? text : describe(this, line))
    }
    const last: string[] = []
    for (const text of readFilesBackwards(path)) {
      const line = parseLogLine(text)
      if (line && isWanted(line)) last.push(text)
      if (last.length >= (flags.limit ?? 50)) break
    }
    // The log keeps the lines of extensions that are no longer installed.
    if (last.length === 0 && extension !== undefined && !flags.follow)
      findExtension(this, findPigletPlaces(this), extension)
    for (const text of last.reverse()) show(text)
    if (last.length === 0 && !flags.follow && !flags.json) this.note('No matching log lines.')
    if (flags.follow) await followLog(path, show)
  },
  parameters: {
    flags: {
      limit: limitFlag('How many lines (default 50)'),
      level: valueFlag('level', 'Only this level and above: debug, info, warn or error'),
      follow: switchFlag('Keep printing new lines, until Ctrl-C'),
      json: switchFlag('Print the lines of the file unchanged, one JSON value each'),
    },
    aliases: { n: 'limit' },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Only lines of this extension', parse: String, placeholder: 'name', optional: true },
      ],
    },
  },
  docs: {
    brief: 'Show what extensions logged and printed',
    fullDescription: formatManual({
      text: [
        'Shows the end of <config>/debug.log, oldest line first. Output of an extension outside the protocol is logged at level debug.',
      ],
      examples: [
        ['piglet ext logs', 'the last 50 lines of all extensions'],
        ['piglet ext logs notes --level warn', 'warnings and errors of one'],
        ['piglet ext logs notes --follow', 'follow one extension'],
      ],
    }),
  },
})

function lineFilter(level: string | undefined, extension: string | undefined): (line: LogLine) => boolean {
  const lowest = level === undefined ? 'debug' : parseLogLevel(level)
  if (lowest === undefined) throw invalidValue(clean(level ?? ''), '--level', useOneOf(logLevels))
  return (line) => {
    if (extension !== undefined && line.record.extension !== extension) return false
    return logLevels.indexOf(parseLogLevel(line.level) ?? 'info') >= logLevels.indexOf(lowest)
  }
}

const styles: Partial<Record<string, Style>> = { ERROR: 'red', WARN: 'yellow', DEBUG: 'dim' }

function describe(cli: Cli, { time, level, message, record }: LogLine): string {
  const style = styles[level]
  const shown = clean(level).padEnd(5)
  return [
    paint(cli, 'dim', clean(localTime(time))),
    style === undefined ? shown : paint(cli, style, shown),
    ...(typeof record.extension === 'string' ? [`[${clean(record.extension)}]`] : []),
    clean(message),
  ].join(' ')
}
