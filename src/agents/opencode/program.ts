// Runs OpenCode to export a session from its database or import one: only OpenCode knows what is in there and
// what is still being written. Exports are files below .entire/tmp.

import { mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { ProjectContext } from '../../model/session-file.ts'
import { EntireError, notFound } from '../../std/errors.ts'
import { readBytes, removeFile } from '../../std/file.ts'
import { pathInside } from '../../std/inside.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { type LimitedResult, runLimited } from '../../std/limited-process.ts'
import { searchPath } from '../../std/program-search.ts'
import { systemRandom } from '../../std/random.ts'

const ownDir = '.entire/tmp'
const timeoutMs = 30_000
const maxBytes = 64 * 1024

/** The current session as JSON; undefined when OpenCode has none. Throws when OpenCode cannot be asked. */
export async function findExport(session: string, place: ProjectContext): Promise<Buffer | undefined> {
  // For tests: the file already has what an export would print.
  if (place.env.ENTIRE_TEST_OPENCODE_MOCK_EXPORT) return readBytes(exportFile(place.root, session))
  const { result, output } = await runExport(session, place)
  if (result.code === 0 && isSession(output)) return output
  if (/Session not found/i.test(result.stderr)) return undefined
  throw failure('export', result)
}

export async function exportSession(session: string, place: ProjectContext): Promise<Buffer> {
  const found = await findExport(session, place)
  if (found !== undefined) return found
  throw notFound(
    'OpenCode session',
    session,
    'Files are recorded as usual; the transcript is exported again next time.',
    'transcript-missing',
  )
}

// Into a file: OpenCode loses what does not fit into a pipe when it exits.
async function runExport(
  session: string,
  place: ProjectContext,
): Promise<{ result: LimitedResult; output: Buffer }> {
  const dir = exportsDir(place.root)
  // Named like any half-written file, so that the leftover of a killed process is removed later.
  const path = join(dir, `export-${systemRandom(4)}.json.${process.pid}.tmp`)
  mkdirSync(pathInside(place.root, ownDir), { recursive: true, mode: 0o750 })
  try {
    const result = await run(
      ['sh', '-c', 'umask 077; exec opencode export "$1" >"$2"', 'sh', session, path],
      place,
    )
    return { result, output: readBytes(path) ?? Buffer.alloc(0) }
  } finally {
    removeFile(path)
  }
}

function isSession(output: Buffer): boolean {
  return Array.isArray(asObject(parseJson(output.toString('utf8')))?.messages)
}

/** An existing session keeps its messages and gets those that it lacks. */
export async function importSession(path: string, place: ProjectContext): Promise<void> {
  const result = await run(['opencode', 'import', path], place)
  if (result.code !== 0) throw failure('import', result)
}

/** Deletes the sessions of its subagents as well. */
export async function deleteSession(session: string, place: ProjectContext): Promise<void> {
  const result = await run(['opencode', 'session', 'delete', session], place)
  if (result.code !== 0) throw failure('session delete', result)
}

async function run(argv: string[], { root, env }: ProjectContext): Promise<LimitedResult> {
  // The variables of a git hook would mislead the git that OpenCode runs. No plugins, including Entire's.
  // OpenCode takes its directory from PWD.
  const own = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'))
  return await runLimited(argv, {
    cwd: root,
    env: {
      ...Object.fromEntries(own),
      // Relative entries would lead to programs of the work tree.
      PATH: searchPath(env).join(delimiter),
      PWD: root,
      OPENCODE_PURE: '1',
    },
    timeoutMs,
    maxBytes,
  })
}

function failure(what: string, result: LimitedResult): EntireError {
  return new EntireError('agent-failed', `\`opencode ${what}\` gave no session: ${reasonOf(result)}`, {
    hint: 'Files are recorded as usual; the transcript is exported again next time.',
  })
}

function reasonOf({ startError, timedOut, code, stderr }: LimitedResult): string {
  if (startError !== undefined) return startError
  if (timedOut) return `it did not answer within ${timeoutMs / 1000} seconds.`
  const lines = Bun.stripANSI(stderr)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('Exporting session'))
  return lines.at(-1) ?? (code === 0 ? 'its output is not a session.' : `it ended with ${code}.`)
}

export function exportsDir(root: string): string {
  return join(root, ownDir)
}

export function exportFile(root: string, session: string): string {
  return join(exportsDir(root), `${session}.json`)
}
