// Where core.hooksPath points matters to people: a directory outside the repository is shared, one in the work tree shows up in git status.
import { realpathSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { readText } from '../std/file.ts'

export function findHooksDirWarning(hooksDir: string, repo: { root: string; commonDir: string }): string | undefined {
  if (isInside(hooksDir, repo.commonDir)) return undefined
  if (!isInside(hooksDir, repo.root))
    return `Git hooks of this repository are in ${hooksDir}, which other repositories may share. Entire's hooks do nothing where Entire is not enabled.`
  // Husky and others keep their generated directory out of git themselves.
  if (readText(`${hooksDir}/.gitignore`)?.trim() === '*') return undefined
  return `Git hooks of this repository are in its work tree, in ${hooksDir}. Entire's hooks there show up in git status; better not commit them.`
}

function isInside(path: string, directory: string): boolean {
  const way = relative(real(directory), real(path))
  return way !== '..' && !way.startsWith(`..${sep}`)
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // A hooks directory that is not there yet is judged by its name.
    return path
  }
}
