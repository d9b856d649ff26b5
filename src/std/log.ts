// Writes the log, one JSON line per event, and measures where the time of a run goes. Logging never fails,
// and prompts or file contents never go into it.
import { closeSync, constants, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileSize, inDirectory } from './file.ts'

/** At most two files of this size are kept. */
const maxBytes = 5 * 1024 * 1024

// Neither follows a link nor waits for the reader of a pipe.
const appended =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

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
      const line = {
        time: new Date().toISOString(),
        level: level.toUpperCase(),
        msg: message,
        ...context,
        ...fields,
      }
      try {
        if ((fileSize(path) ?? 0) > maxBytes) renameSync(path, `${path}.1`)
        const fd = inDirectory(dirname(path), 0o750, () => openSync(path, appended, 0o600))
        try {
          writeSync(fd, `${JSON.stringify(line)}\n`)
        } finally {
          closeSync(fd)
        }
      } catch {
        // A log that cannot be written must not stop a hook.
      }
    },
  }
}

/** Where the time of one run went, phase by phase; `entire doctor trace` shows it. */
export interface Trace {
  /** Ends a phase, which lasted since the last mark. */
  mark(phase: string): void
  /** Whole milliseconds since the start of the process. */
  total(): number
  /** `start=9 lock=0 status=12`; phases with the same name are summed. */
  text(): string
}

/** The first phase, `start`, is the loading of the program. */
export function startTrace(now: () => number = () => performance.now()): Trace {
  const phases = new Map<string, number>()
  let last = 0
  const trace: Trace = {
    mark(phase) {
      const time = now()
      phases.set(phase, (phases.get(phase) ?? 0) + time - last)
      last = time
    },
    total: () => Math.round(now()),
    text: () => [...phases].map(([phase, ms]) => `${phase}=${Math.round(ms)}`).join(' '),
  }
  trace.mark('start')
  return trace
}
