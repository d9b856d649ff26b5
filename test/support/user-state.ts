// Reads everything of a repository that belongs to the user, so that a test can compare it byte for byte.
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Repo } from '../../src/git/repo.ts'
import { decodePath, nativePath, nativePathIn } from '../../src/std/encoding.ts'

// Objects, refs and files that the program writes; the rest of the git directory is the user's.
const ownPaths = /^(objects\/|(logs\/)?refs\/(heads\/entire\/|entire\/|notes\/entire-checkpoints)|entire-)/

/** One line per file: mode, modification time, digest of the content, path. */
export function readUserState(repo: Repo): string[] {
  const dirs = [...new Set([repo.gitDir, repo.commonDir])]
  const git = dirs.flatMap((dir) =>
    listFiles(dir, (path) => !ownPaths.test(path)).map((path) => describeFile(dir, path)),
  )
  return [...readWorktree(repo), ...git].sort()
}

/**
 * The same for the work tree alone: in the git directory a process may still be cleaning up after a killed
 * one.
 */
export function readWorktree(repo: Repo): string[] {
  return listFiles(repo.root, (path) => path !== '.git').map((path) => describeFile(repo.root, path))
}

function listFiles(dir: string, keep: (path: string) => boolean, below = ''): string[] {
  const entries = readdirSync(nativePathIn(dir, below), { encoding: 'buffer' })
  return entries.flatMap((entry) => {
    const path = below === '' ? decodePath(entry) : `${below}/${decodePath(entry)}`
    if (!keep(path)) return []
    const isDirectory = lstatSync(nativePathIn(dir, path)).isDirectory()
    return isDirectory ? (keep(`${path}/`) ? listFiles(dir, keep, path) : []) : [path]
  })
}

function describeFile(dir: string, path: string): string {
  const place = nativePath(`${dir}/${path}`)
  const stat = lstatSync(place)
  const content = stat.isSymbolicLink() ? readlinkSync(place, { encoding: 'buffer' }) : readFileSync(place)
  return `${stat.mode.toString(8)} ${stat.mtimeMs} ${createHash('sha1').update(content).digest('hex')} ${dir}/${path}`
}
