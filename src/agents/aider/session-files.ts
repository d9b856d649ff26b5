// Finds the sessions of Aider in its chat history: one file for a repository, in which each session begins
// with a line that has the time.

import { appendFileSync, closeSync, mkdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { SessionResumer } from '../../model/agent.ts'
import type { FilePart, TranscriptSections } from '../../model/session-file.ts'
import type { Environment } from '../../std/environment.ts'
import { fileSize, openRegular, readRange, readText } from '../../std/file.ts'
import { asText } from '../shared/hook-table.ts'

export const historyName = '.aider.chat.history.md'

const heading = '# aider chat started at '
const blockBytes = 1024 * 1024

/**
 * The file that the environment, a `.env` file or the settings of Aider name, those of the project before those in the
 * home directory; else the one in the top directory.
 */
export function historyFile(root: string, env: Environment): string {
  const dirs = [root, ...(env.HOME ? [env.HOME] : [])]
  const read = (name: string, key: RegExp) =>
    dirs.map((dir) => asText(unquote(key.exec(readText(join(dir, name)) ?? '')?.[1]?.trim() ?? '')))
  const configured = [
    asText(env.AIDER_CHAT_HISTORY_FILE),
    ...read('.env', /^(?:export )?AIDER_CHAT_HISTORY_FILE=(.*)$/m),
    ...read('.aider.conf.yml', /^chat-history-file:(.*)$/m),
  ]
  return resolve(root, configured.find((value) => value !== undefined) ?? historyName)
}

// YAML: a value in quotes ends with them, any other before a comment.
function unquote(value: string): string {
  const quote = value[0] === '"' || value[0] === "'" ? value[0] : undefined
  if (quote === undefined) return (value.split('#', 1)[0] ?? '').trimEnd()
  const end = value.indexOf(quote, 1)
  return end === -1 ? value : value.slice(1, end)
}

/**
 * Aider has no ids for sessions. Work trees share the sessions of a repository, and two of them can begin in
 * the same second, so the id has a hash of the path. It comes first, because often only the beginning of an
 * id is shown.
 */
export function aiderSessionId(path: string, time: string | undefined): string {
  const own = new Bun.CryptoHasher('sha256')
    .update(`${resolve(path)}\0${time}`)
    .digest('hex')
    .slice(0, 8)
  return `${own}-aider-${time === undefined ? 'first' : time.replace(/[-:]/g, '').replace(' ', '-')}`
}

export const aiderSections: TranscriptSections = {
  find(path, session) {
    const size = fileSize(path)
    if (size === undefined) return undefined
    const fd = openRegular(path)
    try {
      const time = timeOf(session)
      return time === null ? undefined : findSection(fd, size, time)
    } finally {
      closeSync(fd)
    }
  },
}

export const aiderResume: SessionResumer = {
  sessionDir: (root, env) => dirname(historyFile(root, env)),
  sessionFile: (dir, _session, origin) =>
    join(dir, origin?.name?.endsWith('.md') ? basename(origin.name) : historyName),
  // Aider has no ids for sessions: it reads the whole history.
  command: () => 'aider --restore-chat-history',
  // The file holds other sessions as well, so the session is appended unless it is there.
  async deliver({ session, path, bytes }) {
    if (aiderSections.find(path, session) === undefined) {
      mkdirSync(dirname(path), { recursive: true })
      appendFileSync(path, `\n${bytes.toString('utf8').trim()}\n`)
    }
    return true
  },
}

/**
 * As `2026-11-16 03:18:12`; undefined for what is before the first heading, null when it is not a session of
 * Aider.
 */
function timeOf(session: string): string | undefined | null {
  if (session.endsWith('-aider-first')) return undefined
  const [, y, mo, d, h, mi, s] = /-aider-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(session) ?? []
  return y === undefined ? null : `${y}-${mo}-${d} ${h}:${mi}:${s}`
}

// Searches from the end, where the running session is: histories grow for years.
function findSection(fd: number, size: number, time: string | undefined): FilePart | undefined {
  const overlap = heading.length + 20
  let end = size
  for (let at = size; at > 0; ) {
    const from = Math.max(0, at - blockBytes)
    const block = readRange(fd, from, Math.min(at + overlap, size) - from)
    for (
      let found = block.lastIndexOf(heading);
      found !== -1;
      found = found === 0 ? -1 : block.lastIndexOf(heading, found - 1)
    ) {
      if (from + found >= end || !isLineStart(fd, from + found)) continue
      if (block.toString('utf8', found + heading.length, found + heading.length + 19) === time)
        return { from: from + found, to: end }
      end = from + found
    }
    at = from
  }
  return time === undefined ? { from: 0, to: end } : undefined
}

function isLineStart(fd: number, at: number): boolean {
  return at === 0 || readRange(fd, at - 1, 1)[0] === 10
}
