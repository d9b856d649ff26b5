// Follows an agent whose hooks cannot run by the files it keeps its sessions in, one file for each session.

import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Agent, SessionResumer, TranscriptFormat } from '../../model/agent.ts'
import type { FileWatcher, Sign, SignReader } from '../../model/session-file.ts'
import { given } from '../../std/given.ts'
import { asObject, asString, parseJson } from '../../std/json.ts'
import { isInside } from '../../std/program-search.ts'
import { readStart } from './file-tail.ts'

const headBytes = 64 * 1024

/** Undefined for agents that keep their transcripts elsewhere, or several sessions in one file. */
export function sessionDirWatcher({ resume, transcript, source, sections }: Agent): FileWatcher | undefined {
  if (resume === undefined || source !== undefined || sections !== undefined) return undefined
  return {
    dirs: async ({ root, env }) => [await resume.sessionDir(root, env)],
    list: async ({ root, env }) => listFiles(await resume.sessionDir(root, env)),
    async open(path, { root, env }) {
      const head = readStart(path, headBytes)
      if (head === undefined || transcript.shape(head) === 'document' || !isOfProject(root, head))
        return undefined
      const session = await findSessionId(resume, await resume.sessionDir(root, env), path, head)
      return session === undefined ? undefined : readSigns(transcript, session)
    },
  }
}

function listFiles(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(dir, name))
  } catch {
    return []
  }
}

// Agents that keep the sessions of all projects in one directory note in each where it was started.
function isOfProject(root: string, head: string): boolean {
  const dir = startedIn(head)
  return dir === undefined || dir === root || isInside(dir, root)
}

/** The directory in which the session was started, according to the beginning of its file. */
export function startedIn(head: string): string | undefined {
  const quoted = /"cwd"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(head)?.[1]
  const dir = asString(parseJson(quoted ?? ''))
  return dir === undefined ? undefined : resolve(dir)
}

/**
 * The id is somewhere in the file or in its path: it is the candidate for which the agent names this very
 * file.
 */
export async function findSessionId(
  resume: SessionResumer,
  dir: string,
  path: string,
  head: string,
): Promise<string | undefined> {
  const stem = basename(path).replace(/\.jsonl$/, '')
  const inFile = [
    ...head.matchAll(/"(?:sessionId|session_id|id)"\s*:\s*"([A-Za-z0-9_][A-Za-z0-9_.-]{3,199})"/g),
  ].slice(0, 8)
  const inName = [...stem.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[^_]+$/gi)]
  const candidates = [
    ...inFile.map(([, id]) => id),
    ...inName.map(([id]) => id),
    basename(dirname(path)),
    stem,
  ]
  for (const id of new Set(candidates)) {
    if (id !== undefined && !id.includes('..') && resolve(await resume.sessionFile(dir, id)) === path)
      return id
  }
  return undefined
}

// A transcript does not mark the end of a turn: anything the agent says or does may be the last of it.
function readSigns(transcript: TranscriptFormat, session: string): SignReader {
  return (lines, before) => {
    const signs: Sign[] = before === undefined ? [{ type: 'session', session, line: 0 }] : []
    let carry = asObject(before?.reading)
    for (const [line, text] of lines.entries()) {
      const reading = transcript.readLines([text], carry)
      carry = reading.carry
      const prompt = reading.prompts.at(-1)
      const at = /"timestamp"\s*:\s*"([^"]+)"/.exec(text)?.[1]
      if (prompt !== undefined) signs.push({ type: 'prompt', line, prompt, ...given({ at }) })
      if (reading.summary !== undefined || reading.files.length > 0 || reading.tokens.calls > 0)
        signs.push({ type: 'answer', line })
    }
    return { signs, carry: given({ reading: carry }) as NonNullable<typeof carry> }
  }
}
