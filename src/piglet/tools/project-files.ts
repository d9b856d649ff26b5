// Lists the files of a project that are worth searching, as git lists them; outside a repository, all files
// except those in the usual directories of dependencies. Also matches paths against patterns.

import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Environment } from '../../std/environment.ts'
import { findStat } from '../../std/file.ts'
import { runLimited } from '../../std/limited-process.ts'

const skipped = ['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.venv']
const maxFiles = 200_000

/** Paths relative to `dir`, with slashes, sorted. */
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
  // Git still lists a deleted file until the deletion is committed.
  return [...paths].filter((path) => findStat(join(dir, path))?.isFile()).sort()
}

function walk(base: string): string[] {
  const files: string[] = []
  const dirs = [base]
  for (let dir = dirs.pop(); dir !== undefined && files.length < maxFiles; dir = dirs.pop()) {
    for (const entry of readableEntries(dir)) {
      const path = join(dir, entry.name)
      if (entry.isDirectory() && !skipped.includes(entry.name)) dirs.push(path)
      else if (entry.isFile()) files.push(relative(base, path).split(sep).join('/'))
    }
  }
  return files.sort()
}

function readableEntries(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}

/**
 * `*` and `?` match within a name, `**` across directories, and `{a,b}` and `[a-z]` as in a shell. A pattern
 * without a slash matches the name of a file in any directory.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const whole = pattern.includes('/') ? pattern.replace(/^\.?\//, '') : `**/${pattern}`
  const expression = new RegExp(`^${toExpression(whole)}$`)
  return (path) => expression.test(path)
}

const pieces: [RegExp, (match: string) => string][] = [
  [/^\*\*\//, () => '(?:[^/]+/)*'],
  [/^\*\*/, () => '.*'],
  [/^\*/, () => '[^/]*'],
  [/^\?/, () => '[^/]'],
  [/^\[[!^]?[^\]/]+\]/, (set) => set.replace(/^\[!/, '[^').replaceAll('\\', '\\\\')],
  [/^\{[^{}/]*\}/, (list) => `(?:${list.slice(1, -1).split(',').map(toExpression).join('|')})`],
]

function toExpression(pattern: string): string {
  let expression = ''
  for (let rest = pattern; rest !== ''; ) {
    const [shape, make] = pieces.find(([form]) => form.test(rest)) ?? [/^./su, escaped]
    const [match = rest] = shape.exec(rest) ?? []
    expression += make(match)
    rest = rest.slice(match.length)
  }
  return expression
}

function escaped(letter: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(letter) ? `\\${letter}` : letter
}
