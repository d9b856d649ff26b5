// The files of a project that are worth looking into: git knows which those are; elsewhere the usual places of other people's code are
// left out.

import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Environment } from '../../extensions/launch.ts'
import { findStat } from '../../std/file.ts'
import { runLimited } from '../../std/limited-proc.ts'

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

// Patterns for paths: `*` and `?` within a name, `**` across directories, `{a,b}` and `[a-z]`.

/** A pattern without a slash is for the name alone, wherever the file is. */
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
    const [form, make] = pieces.find(([one]) => one.test(rest)) ?? [/^./su, escaped]
    const [match = rest] = form.exec(rest) ?? []
    expression += make(match)
    rest = rest.slice(match.length)
  }
  return expression
}

function escaped(letter: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(letter) ? `\\${letter}` : letter
}
