// The files of a project that are worth looking into: git knows which those are; elsewhere the usual places of other people's code are
// left out.
import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { findStat } from '../../../std/file.ts'
import { runLimited } from '../../../std/limited-proc.ts'
import type { Environment } from '../../environment.ts'

const skipped = ['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.venv']
const maxFiles = 200_000

/** Paths from `dir` on, with slashes, in order. */
export async function projectFiles(dir: string, env: Environment, signal: AbortSignal): Promise<string[]> {
  const listed = await runLimited(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: dir,
    env,
    timeoutMs: 20_000,
    maxBytes: 64 * 1024 * 1024,
    signal,
  })
  if (listed.code !== 0) return walk(dir)
  const paths = new Set(listed.stdout.toString('utf8').split('\0').filter(Boolean))
  // What was deleted is still listed until it is committed.
  return [...paths].filter((path) => findStat(join(dir, path))?.isFile()).sort()
}

function walk(base: string): string[] {
  const files: string[] = []
  const dirs = [base]
  for (let dir = dirs.pop(); dir !== undefined && files.length < maxFiles; dir = dirs.pop()) {
    for (const entry of readable(dir)) {
      const path = join(dir, entry.name)
      if (entry.isDirectory() && !skipped.includes(entry.name)) dirs.push(path)
      else if (entry.isFile()) files.push(relative(base, path).split(sep).join('/'))
    }
  }
  return files.sort()
}

function readable(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}
