// Names paths below a directory, and refuses those in which a part is a symbolic link: a clone may contain
// links that lead anywhere.

import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { EntireError, isErrno } from './errors.ts'

/** The absolute path of `path` below `root`. Throws when a part of it is a link. */
export function pathInside(root: string, path: string): string {
  const link = findLink(root, path)
  if (link === undefined) return join(root, path)
  throw new EntireError('write-failed', `${link} is a symbolic link, which Entire does not follow.`, {
    hint: `Replace it with what it points to, or remove it: \`rm ${link}\`.`,
  })
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

function kindOf(path: string): 'link' | 'absent' | 'other' {
  try {
    return lstatSync(path).isSymbolicLink() ? 'link' : 'other'
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return 'absent'
    throw error
  }
}
