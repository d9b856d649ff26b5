// One JSON line per event in .entire/logs/entire.log. Logging never fails and never carries prompts or file contents.
import { appendFileSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileSize, inDirectory } from './file.ts'

/** Two files of this size are all that is ever kept. */
const maxBytes = 5 * 1024 * 1024

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export type LogFields = Record<string, string | number | boolean | undefined>

export interface Log {
  write(level: LogLevel, message: string, fields?: LogFields): void
}

export function parseLogLevel(text: string | undefined): LogLevel | undefined {
  return logLevels.find((level) => level === text?.toLowerCase())
}

export function fileLog(path: string, minimum: LogLevel, context: LogFields = {}): Log {
  const lowest = logLevels.indexOf(minimum)
  return {
    write(level, message, fields = {}) {
      if (logLevels.indexOf(level) < lowest) return
      const line = { time: new Date().toISOString(), level: level.toUpperCase(), msg: message, ...context, ...fields }
      try {
        if ((fileSize(path) ?? 0) > maxBytes) renameSync(path, `${path}.1`)
        inDirectory(dirname(path), 0o750, () => appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 }))
      } catch {
        // A log that cannot be written must not stop a hook.
      }
    },
  }
}
