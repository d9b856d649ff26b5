// Finds the rollouts of Codex: a file for each thread, below directories for the day on which it began.

import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { LogOrigin, SessionResumer } from '../../model/agent.ts'
import type { Environment } from '../../std/environment.ts'
import { exists } from '../../std/file.ts'
import { parseTime } from '../../std/time.ts'

export const codexResume: SessionResumer = {
  sessionDir: (_root, env) => env.ENTIRE_TEST_CODEX_SESSION_DIR || join(codexHome(env), 'sessions'),
  isSubagent: (head) => /"thread_source"\s*:\s*"subagent"|"source"\s*:\s*\{\s*"subagent"/.test(head),
  sessionFile: (dir, session, origin) =>
    findRollout(dir, session) ?? newFile(dir, rolloutName(session, origin)),
  command: (session) => `codex resume ${session}`,
}

export function codexHome(env: Environment): string {
  return env.CODEX_HOME || join(env.HOME || homedir(), '.codex')
}

/**
 * A sibling of the main rollout, or in the directory of the next day when the subagent began after midnight.
 */
export function codexSubagentTranscript(mainTranscript: string, subagent: string): string {
  const beside = dirname(mainTranscript)
  const root = dayDir.test(beside) ? join(beside, '../../..') : beside
  const time = nameParts.exec(basename(mainTranscript))?.[1] ?? timeInName(timeOfId(subagent))
  return (
    findIn(beside, subagent) ??
    findRollout(root, subagent) ??
    join(beside, `rollout-${time}-${subagent}.jsonl`)
  )
}

const dayDir = /[/\\]\d{4}[/\\]\d\d[/\\]\d\d$/
const nameParts = /^rollout-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)-(.+)\.jsonl$/

function findRollout(dir: string, id: string): string | undefined {
  if (dayDir.test(dir)) return findIn(dir, id)
  for (const year of numbered(dir))
    for (const month of numbered(year))
      for (const day of numbered(month)) {
        const found = findIn(day, id)
        if (found !== undefined) return found
      }
  return findIn(dir, id)
}

function findIn(dir: string, id: string): string | undefined {
  const name = list(dir).find((file) => nameParts.exec(file)?.[2] === id)
  return name === undefined ? undefined : join(dir, name)
}

/** The latest first: most lookups are for recent threads. */
function numbered(dir: string): string[] {
  return list(dir)
    .filter((name) => /^\d+$/.test(name))
    .sort()
    .reverse()
    .map((name) => join(dir, name))
}

function list(dir: string): string[] {
  try {
    return exists(dir) ? readdirSync(dir) : []
  } catch {
    return []
  }
}

function newFile(dir: string, name: string): string {
  const [year = '', month = '', day = ''] = name.slice('rollout-'.length).split(/[-T]/)
  return dayDir.test(dir) ? join(dir, name) : join(dir, year, month, day, name)
}

function rolloutName(session: string, { name = '', startedAt }: LogOrigin = {}): string {
  if (nameParts.exec(name)?.[2] === session) return name
  return `rollout-${timeInName(parseTime(startedAt) ?? timeOfId(session))}-${session}.jsonl`
}

/** Ids begin with the time they were made, in milliseconds. */
function timeOfId(id: string): Date {
  const time = new Date(
    Number.parseInt(/^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id)?.slice(1).join('') ?? '0', 16),
  )
  return Number.isNaN(time.getTime()) ? new Date(0) : time
}

/** In local time, as Codex writes it. */
function timeInName(time: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const day = [
    String(time.getFullYear()).padStart(4, '0'),
    two(time.getMonth() + 1),
    two(time.getDate()),
  ].join('-')
  return `${day}T${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join('-')}`
}
