// Keeps files that are for one user alone, such as an agent's second settings file, out of `git status`.

import { rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { forgetOriginal, hashOf, readOriginal, writeOriginal } from '../../agents/shared/original-file.ts'
import { git } from '../../git/exec.ts'
import type { Repo } from '../../git/repo.ts'
import type { HookSite } from '../../model/agent.ts'
import { exists, readBytes, removeFile, writeAtomic } from '../../std/file.ts'
import { followLinks } from '../../std/inside.ts'

/** Adds the path to git's own list of this clone, unless the user or the project ignores it already. */
export async function exclude(repo: Repo, site: HookSite, path: string): Promise<void> {
  const { code } = await git(repo, ['check-ignore', '--quiet', '--', path], { accept: [1] })
  if (code === 0) return
  const file = excludeFile(repo)
  const original = readBytes(file)
  const text = original?.toString('latin1') ?? ''
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  const written = Buffer.from(`${text}${separator}/${path}\n`, 'latin1')
  writeOriginal(site, recordName(path), {
    original,
    madeDir: !exists(join(repo.commonDir, 'info')),
    written: hashOf(written),
  })
  writeAtomic(file, written, { mode: 0o644 })
}

/** The reverse of `exclude`; lines of the user stay. */
export function includeAgain(repo: Repo, site: HookSite, path: string): void {
  const recorded = readOriginal(site, recordName(path))
  const file = excludeFile(repo)
  const bytes = readBytes(file)
  if (recorded === undefined) return
  forgetOriginal(site, recordName(path))
  if (bytes === undefined) return
  const isUntouched = recorded.written === hashOf(bytes)
  if (isUntouched && recorded.original === undefined) {
    removeFile(file)
    if (recorded.madeDir) rmdirSync(dirname(file))
    return
  }
  const rest = bytes.toString('latin1').replace(`/${path}\n`, '')
  writeAtomic(file, isUntouched && recorded.original ? recorded.original : Buffer.from(rest, 'latin1'), {
    mode: 0o644,
  })
}

/** The file itself, so that a symbolic link to it stays one. */
function excludeFile(repo: Repo): string {
  const path = join(repo.commonDir, 'info', 'exclude')
  return followLinks(path) ?? path
}

function recordName(path: string): string {
  return `exclude/${path}`
}
