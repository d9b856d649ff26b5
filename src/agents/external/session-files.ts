// Reads the transcripts of sessions through a plugin, and delivers sessions to it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, normalize, resolve } from 'node:path'
import type { SessionResumer, TranscriptEntry, TranscriptFetcher } from '../../model/agent.ts'
import type { DeliveredLog } from '../../model/session-file.ts'
import { EntireError } from '../../std/errors.ts'
import { fileSize, readBytes, writeAtomic } from '../../std/file.ts'
import { isInside } from '../../std/program-search.ts'
import { answerOrReport, ask, callPlugin, findProblem, type PluginProgram, plainLine } from './call.ts'
import type { Info } from './info.ts'
import { parseCompact } from './transcript.ts'

export function pluginSource(plugin: PluginProgram, { capabilities }: Info): TranscriptFetcher {
  return {
    // A preparer may have more to write into the file.
    ...(capabilities.transcript_preparer === true ? {} : { isFile: true }),
    locate: (session) =>
      answerOrReport(
        plugin,
        sessionDir(plugin, plugin.site.root).then((dir) => sessionFile(plugin, dir, session)),
      ),
    async fetch(reference) {
      if (capabilities.transcript_preparer === true)
        await answerOrReport(plugin, ask(plugin, 'prepare-transcript', { 'session-ref': reference }))
      const result = await callPlugin(plugin, 'read-transcript', { 'session-ref': reference })
      const problem = findProblem(plugin, 'read-transcript', result)
      if (problem === undefined) return { bytes: result.stdout }
      if (result.overflowed === 'stdout' && fileSize(reference) !== undefined) {
        checkSessionRef(reference, await sessionDir(plugin, plugin.site.root))
        return { file: reference }
      }
      throw new EntireError('agent-failed', problem, {
        hint: 'Files are recorded as usual; the transcript is read again next time.',
      })
    },
  }
}

export function pluginResumer(plugin: PluginProgram): SessionResumer {
  return {
    sessionDir: (root) => sessionDir(plugin, root),
    async sessionFile(dir, session) {
      // The directory may come from an old event; the plugin is asked for the current one.
      const own = await sessionDir(plugin, plugin.site.root)
      if (!isInside(dir, own)) checkSessionRef(dir, own)
      return sessionFile(plugin, dir, session)
    },
    async command(session) {
      const answer = await answerOrReport(
        plugin,
        ask(plugin, 'format-resume-command', { 'session-id': session }),
      )
      return answer && plainLine(answer.command)
    },
    deliver: async (log) => (await answerOrReport(plugin, deliver(plugin, log))) ?? false,
  }
}

async function sessionDir(plugin: PluginProgram, root: string): Promise<string> {
  const { session_dir: dir } = await ask(plugin, 'get-session-dir', { 'repo-path': root })
  if (!isAbsolute(dir) && dir.split(/[/\\]/).includes('..')) refuse(plugin, 'get-session-dir', dir)
  return resolve(root, dir)
}

async function sessionFile(plugin: PluginProgram, dir: string, session: string): Promise<string> {
  const { session_file: file } = await ask(plugin, 'resolve-session-file', {
    'session-dir': dir,
    'session-id': session,
  })
  const path = resolve(dir, file)
  if (!isInside(path, dir) || path === dir) refuse(plugin, 'resolve-session-file', file)
  return path
}

function refuse(plugin: PluginProgram, subcommand: string, path: string): never {
  throw new EntireError(
    'agent-failed',
    `entire-agent-${plugin.name} ${subcommand} named ${JSON.stringify(plainLine(path))}, which is refused.`,
    {
      hint: 'A plugin may keep sessions only in the directory that its get-session-dir names.',
    },
  )
}

async function deliver(
  plugin: PluginProgram,
  { session, path, startedAt, bytes }: DeliveredLog,
): Promise<boolean> {
  const { root } = plugin.site
  checkSessionRef(path, await sessionDir(plugin, root))
  const message = {
    session_id: session,
    agent_name: plugin.name,
    repo_path: root,
    session_ref: path,
    start_time: startedAt,
    native_data: bytes.toString('base64'),
    modified_files: [],
    new_files: [],
    deleted_files: [],
  }
  await ask(plugin, 'write-session', {}, JSON.stringify(message))
  if (await isStored(plugin, path, bytes)) return true
  plugin.site.report(
    `entire-agent-${plugin.name} write-session stored something else than the transcript. It was put in place.`,
  )
  return false
}

// What the plugin itself reads counts: it need not keep sessions in files. A long answer is cut off.
async function isStored(plugin: PluginProgram, path: string, bytes: Buffer): Promise<boolean> {
  const read = await callPlugin(plugin, 'read-transcript', { 'session-ref': path })
  return read.overflowed === 'stdout'
    ? readBytes(path)?.equals(bytes) === true
    : read.code === 0 && read.stdout.equals(bytes)
}

/**
 * The conversation in a stored transcript: the plugin shortens a copy of it, which has the name that the session's
 * own file would have. Undefined when it cannot.
 */
export async function readCompact(
  plugin: PluginProgram,
  bytes: Buffer,
  session: string,
): Promise<TranscriptEntry[] | undefined> {
  const dir = mkdtempSync(join(tmpdir(), 'entire-transcript-'))
  try {
    const compact = async () => {
      const path = await sessionFile(plugin, dir, session)
      writeAtomic(path, bytes)
      return await ask(plugin, 'compact-transcript', { 'session-ref': path })
    }
    const answer = await answerOrReport(plugin, compact())
    return answer && parseCompact(Buffer.from(answer.transcript, 'base64').toString('utf8'))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/**
 * Refuses references that lead elsewhere: they come from plugins and from stored data, and become paths that
 * are written to. A path must be in the plugin's directory of sessions; anything else is a key, which must
 * not lead out of it.
 */
export function checkSessionRef(reference: string, sessionDir: string): void {
  const problem =
    isAbsolute(reference) || /^[A-Za-z]:|^\\\\/.test(reference)
      ? findPathProblem(reference, sessionDir)
      : findKeyProblem(reference)
  if (problem === undefined) return
  throw new EntireError(
    'agent-failed',
    `The session reference ${JSON.stringify(plainLine(reference))} is refused: ${problem}.`,
    {
      hint: 'A plugin may keep sessions only in the directory that its get-session-dir names.',
    },
  )
}

function findPathProblem(path: string, dir: string): string | undefined {
  if (parts(path).some((part) => part === '.' || part === '..')) return 'it has "." or ".." in it'
  return isInside(path, dir) && path !== dir ? undefined : `it is outside ${dir}`
}

function findKeyProblem(key: string): string | undefined {
  if (key === '' || /^[/\\]/.test(key)) return 'it is not a key'
  return parts(normalize(key)).includes('..') ? 'it leads out of its directory' : undefined
}

function parts(path: string): string[] {
  return path.split(/[/\\]/)
}
