// Defines the log of the demo agent, one JSON value per line, which the agent writes and its plugin reads.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type LogLine =
  | { kind: 'prompt'; time: string; text: string }
  | { kind: 'edit'; time: string; path: string; change: 'write' | 'delete' }
  | { kind: 'run'; time: string; command: string[]; code: number }
  | {
      kind: 'answer'
      time: string
      text: string
      model: string
      usage: { input: number; output: number; cached: number }
    }

/** One directory per repository, named after its path. */
export function sessionDir(home: string, repoRoot: string): string {
  return join(home, '.demo-agent', 'sessions', repoRoot.replace(/[^A-Za-z0-9]/g, '-'))
}

export function sessionFile(dir: string, session: string): string {
  return join(dir, `${session}.jsonl`)
}

/** Empty before the first line is written. */
export function readLog(file: string): LogLine[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as LogLine)
}

export interface HookPayload {
  session_id: string
  transcript_path: string
  timestamp: string
  model: string
  prompt?: string
}
