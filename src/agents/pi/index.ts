// Defines Pi as an agent, and finds its sessions.

import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import type { Agent, LogOrigin, SessionResumer, TextGenerator } from '../../model/agent.ts'
import type { Environment } from '../../std/environment.ts'
import { EntireError } from '../../std/errors.ts'
import { exists, readText, writeAtomic } from '../../std/file.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { parseTime } from '../../std/time.ts'
import { piCard } from '../cards.ts'
import { readFirstLine } from '../shared/file-tail.ts'
import { asText, lazyInstaller } from '../shared/hook-table.ts'
import { parsePiHook, piHooks } from './hooks.ts'
import { piTranscript } from './transcript.ts'

export const piResume: SessionResumer = {
  sessionDir: (root, env) =>
    env.ENTIRE_TEST_PI_SESSION_DIR ||
    findChosenDir(root, env) ||
    join(agentDir(env), 'sessions', slugOf(root)),
  sessionFile: (dir, session, origin) =>
    join(dir, findName(dir, session, origin?.name) ?? newName(session, origin)),
  command: (session) => (session === '' ? 'pi --continue' : `pi --session ${session}`),
  // Pi works in the directory that the session names, wherever Pi is started.
  async deliver({ path, root, bytes }) {
    const moved = movePiSession(root, bytes)
    if (moved === undefined) return false
    writeAtomic(path, moved)
    return true
  },
}

/** Writes text without tools, and keeps no session. */
export const piGenerator: TextGenerator = {
  command: ({ model }) => [
    'pi',
    '--no-session',
    '--no-tools',
    '--no-skills',
    '--no-prompt-templates',
    '--no-context-files',
    // Pi takes the next word as the value, even one that looks like a flag; it does not understand
    // `--model=`.
    ...(model === undefined ? [] : ['--model', model]),
    '--print',
  ],
  parseAnswer(output) {
    const answer = output.trim()
    if (answer !== '') return answer
    throw new EntireError('agent-failed', 'It printed no answer.')
  },
}

export const pi = {
  ...piCard,
  description: 'Pi - a minimal terminal coding agent',
  protectedDirs: ['.pi'],
  detect: (root) => exists(join(root, '.pi')),
  hookNames: Object.keys(piHooks),
  parseHook: parsePiHook,
  projectDir: (payload) => asText(payload.cwd),
  transcript: piTranscript,
  tasksEndWithTurn: true,
  installer: lazyInstaller(
    '.pi/extensions/entire/index.ts',
    async () => (await import('./install.ts')).piInstaller,
  ),
  hookResponse: (message) => `${JSON.stringify({ systemMessage: message })}\n`,
  resume: piResume,
  generator: piGenerator,
} satisfies Agent

function agentDir(env: Environment): string {
  return env.PI_CODING_AGENT_DIR ? expand(env.PI_CODING_AGENT_DIR, env) : join(homeOf(env), '.pi', 'agent')
}

// The settings of the project come before those of the user.
function findChosenDir(root: string, env: Environment): string | undefined {
  const settings = [join(root, '.pi', 'settings.json'), join(agentDir(env), 'settings.json')]
  const chosen =
    env.PI_CODING_AGENT_SESSION_DIR || settings.map(sessionDirIn).find((dir) => dir !== undefined)
  return chosen === undefined ? undefined : resolve(root, expand(chosen, env))
}

function sessionDirIn(settings: string): string | undefined {
  return asText(asObject(parseJson(readText(settings) ?? ''))?.sessionDir)
}

function expand(path: string, env: Environment): string {
  return path === '~' || path.startsWith('~/') ? join(homeOf(env), path.slice(1)) : path
}

function homeOf(env: Environment): string {
  return env.HOME || homedir()
}

function slugOf(root: string): string {
  return `--${root.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`
}

/** A file with any name belongs to the session when its header says so. */
function findName(dir: string, session: string, known: string | undefined): string | undefined {
  if (known?.endsWith('.jsonl') && !/[/\\]/.test(known) && idIn(join(dir, known)) === session) return known
  return exists(dir) ? readdirSync(dir).find((name) => name.endsWith(`_${session}.jsonl`)) : undefined
}

function idIn(file: string): string | undefined {
  const header = asObject(parseJson(readFirstLine(file, 4096) ?? ''))
  return header?.type === 'session' ? asText(header.id) : undefined
}

function newName(session: string, origin: LogOrigin | undefined): string {
  const { name = '', startedAt } = origin ?? {}
  if (name.endsWith(`_${session}.jsonl`) && !/[/\\]/.test(name)) return name
  const time = (parseTime(startedAt) ?? new Date(0)).toISOString().replace(/[:.]/g, '-')
  return `${time}_${session}.jsonl`
}

/**
 * The session with `root` as its directory in the first line: on another machine, or in another clone, the
 * directory is another one. Undefined when it already runs there, or does not say where it runs.
 */
function movePiSession(root: string, session: Buffer): Buffer | undefined {
  const end = session.indexOf('\n')
  const header = asObject(parseJson(session.toString('utf8', 0, end === -1 ? session.length : end)))
  const cwd = asText(header?.cwd)
  if (header?.type !== 'session' || cwd === undefined || cwd === root || cwd.startsWith(join(root, sep)))
    return undefined
  const moved = Buffer.from(`${JSON.stringify({ ...header, cwd: root })}\n`)
  return end === -1 ? moved : Buffer.concat([moved, session.subarray(end + 1)])
}
