// References to sessions come from plugins and from stored data, and become paths that somebody writes to.
import { isAbsolute, normalize } from 'node:path'
import { EntireError } from '../../std/errors.ts'
import { isInside } from '../../std/program-search.ts'
import { plainLine } from './plain-text.ts'

/** A path must lie in the plugin's own directory of sessions; anything else is a key, which must not lead out of where it is used. */
export function checkSessionRef(reference: string, sessionDir: string): void {
  const problem =
    isAbsolute(reference) || /^[A-Za-z]:|^\\\\/.test(reference) ? findPathProblem(reference, sessionDir) : findKeyProblem(reference)
  if (problem === undefined) return
  throw new EntireError('agent-failed', `The session reference ${JSON.stringify(plainLine(reference))} is refused: ${problem}.`, {
    hint: 'A plugin may keep sessions only in the directory that its get-session-dir names.',
  })
}

function findPathProblem(path: string, dir: string): string | undefined {
  if (parts(path).some((part) => part === '.' || part === '..')) return 'it has "." or ".." in it'
  return isInside(path, dir) && path !== dir ? undefined : `it lies outside ${dir}`
}

function findKeyProblem(key: string): string | undefined {
  if (key === '' || /^[/\\]/.test(key)) return 'it is no key'
  return parts(normalize(key)).includes('..') ? 'it leads out of its directory' : undefined
}

function parts(path: string): string[] {
  return path.split(/[/\\]/)
}
