// Where Pi keeps its sessions, and how one gets there.
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Env, LogOrigin, SessionResumer } from '../../model/agent.ts'
import { exists, readText, writeAtomic } from '../../std/file.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { parseTime } from '../../std/time.ts'
import { readFirstLine } from '../file-tail.ts'
import { text } from '../hook-table.ts'
import { moveTo } from './session-header.ts'

export const piResume: SessionResumer = {
  sessionDir: (root, env) => env.ENTIRE_TEST_PI_SESSION_DIR || findChosenDir(root, env) || join(agentDir(env), 'sessions', slugOf(root)),
  sessionFile: (dir, session, origin) => join(dir, findName(dir, session, origin?.name) ?? newName(session, origin)),
  command: (session) => (session === '' ? 'pi --continue' : `pi --session ${session}`),
  // Pi works in the directory that the session names, wherever it was started.
  async deliver({ path, root, bytes }) {
    const moved = moveTo(root, bytes)
    if (moved === undefined) return false
    writeAtomic(path, moved)
    return true
  },
}

function agentDir(env: Env): string {
  return env.PI_CODING_AGENT_DIR ? expand(env.PI_CODING_AGENT_DIR, env) : join(homeOf(env), '.pi', 'agent')
}

// The project's own settings come before those of the user.
function findChosenDir(root: string, env: Env): string | undefined {
  const settings = [join(root, '.pi', 'settings.json'), join(agentDir(env), 'settings.json')]
  const chosen = env.PI_CODING_AGENT_SESSION_DIR || settings.map(sessionDirIn).find((dir) => dir !== undefined)
  return chosen === undefined ? undefined : resolve(root, expand(chosen, env))
}

function sessionDirIn(settings: string): string | undefined {
  return text(asObject(parseJson(readText(settings) ?? ''))?.sessionDir)
}

function expand(path: string, env: Env): string {
  return path === '~' || path.startsWith('~/') ? join(homeOf(env), path.slice(1)) : path
}

function homeOf(env: Env): string {
  return env.HOME || homedir()
}

function slugOf(root: string): string {
  return `--${root.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`
}

/** A file that was named by hand is the session's when it says so. */
function findName(dir: string, session: string, known: string | undefined): string | undefined {
  if (known?.endsWith('.jsonl') && !/[/\\]/.test(known) && idIn(join(dir, known)) === session) return known
  return exists(dir) ? readdirSync(dir).find((name) => name.endsWith(`_${session}.jsonl`)) : undefined
}

function idIn(file: string): string | undefined {
  const header = asObject(parseJson(readFirstLine(file, 4096) ?? ''))
  return header?.type === 'session' ? text(header.id) : undefined
}

function newName(session: string, origin: LogOrigin | undefined): string {
  const { name = '', startedAt } = origin ?? {}
  if (name.endsWith(`_${session}.jsonl`) && !/[/\\]/.test(name)) return name
  const stamp = (parseTime(startedAt) ?? new Date(0)).toISOString().replace(/[:.]/g, '-')
  return `${stamp}_${session}.jsonl`
}
