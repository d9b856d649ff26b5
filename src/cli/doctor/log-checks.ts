// Hooks never fail in front of people; what went wrong in them is in the log.

import type { Examination } from './examination.ts'
import type { Finding } from './finding.ts'
import { type LogLine, parseLogLine, readLogBackwards } from './log-file.ts'

const dayMs = 24 * 60 * 60 * 1000

export async function checkHookErrors({ repo, now }: Examination): Promise<Finding[]> {
  const errors: LogLine[] = []
  // Something went well after the last failure.
  let recovered = false
  for (const text of readLogBackwards(repo)) {
    const line = parseLogLine(text)
    if (line === undefined || !isHook(line)) continue
    if (now.getTime() - Date.parse(line.time) > dayMs) break
    if (line.level === 'ERROR') errors.push(line)
    else if (errors.length === 0 && line.ms !== undefined) recovered = true
  }
  const [last] = errors
  if (last === undefined) return []
  return [
    {
      id: 'hook-errors',
      severity: recovered ? 'info' : 'warning',
      title: `Hooks failed ${errors.length} time(s) during the last day${recovered ? ', and have succeeded since' : ''}.`,
      detail: [`Last: ${last.time} ${last.message}`],
      fix: '`entire doctor logs --level error` shows them all',
      remedies: [],
    },
  ]
}

function isHook({ component }: LogLine): boolean {
  return component === 'hooks' || component === 'git-hooks'
}
