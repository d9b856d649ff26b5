// Names paths below a directory, and refuses those in which a part is a symbolic link: a clone may contain
// links that lead anywhere.

import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { EntireError, isErrno } from './errors.ts'

/** The absolute path of `path` below `root`. Throws when a part of it is a link. */
export function pathInside(root: string, path: string): string {
  const link = findLink(root, path)
  if (link === undefined) return join(root, path)
  throw new EntireError('write-failed', `${link} is a symbolic link, which Entire does not follow.`, {
    hint: `Replace it with what it points to, or remove it: \`rm ${link}\`.`,
  })
}

/** The same for a file that is to be written. Throws when a directory, or a file above it, is in the way. */
export function fileInside(root: string, path: string): string {
  const place = pathInside(root, path)
  requireFree(root, path)
  return place
}

/** Throws unless a file can be written at a path below `root`; a link may lead elsewhere below `root`. */
export function requireInside(root: string, path: string): void {
  if (!staysInside(root, path))
    throw new EntireError('write-failed', `${path} leads out of the work tree through a symbolic link.`, {
      hint: 'Nothing is written there. Replace the link with a file or directory of its own.',
    })
  requireFree(root, path)
}

function requireFree(root: string, path: string): void {
  const parts = path.split('/')
  for (const [index] of parts.entries()) {
    const part = parts.slice(0, index + 1).join('/')
    const [expected, found] = part === path ? ['file', 'directory'] : ['directory', 'file']
    if (kindOf(join(root, part)) !== found) continue
    throw new EntireError('write-failed', `${part} is a ${found}, where a ${expected} is needed.`, {
      hint: `Rename or remove it: \`mv ${part} ${part}.old\`.`,
    })
  }
}

/** Whether a path below `root` is still there when links in it are followed. */
export function staysInside(root: string, path: string): boolean {
  const real = followLinks(join(root, path))
  return real?.startsWith(join(realpathSync(root), sep)) === true
}

/** Where a file that need not exist would be written; undefined for links that lead in circles. */
export function followLinks(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined
    if (kindOf(path) === 'link') return followLinks(resolve(dirname(path), readlinkSync(path)))
    const parent = followLinks(dirname(path))
    return parent === undefined ? undefined : join(parent, basename(path))
  }
}

/** The first part of a path below `root` that is a symbolic link. */
export function findLink(root: string, path: string): string | undefined {
  for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
    const part = end === -1 ? path : path.slice(0, end)
    const kind = kindOf(join(root, part))
    if (kind === 'link') return part
    // Below what is missing there is nothing, and the caller creates directories.
    if (kind === 'absent' || end === -1) return undefined
  }
}

function kindOf(path: string): 'link' | 'directory' | 'file' | 'absent' {
  try {
    const stat = lstatSync(path)
    return stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'directory' : 'file'
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return 'absent'
    throw error
  }
}
