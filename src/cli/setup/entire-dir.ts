// Removes what Entire wrote below `.entire`. The user's own files stay, and no link is followed.

import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { removeIgnoredLines } from '../../settings/write.ts'
import { EntireError, isErrno } from '../../std/errors.ts'
import { countOf } from '../../std/plural.ts'

const dir = '.entire'

/** Paths below `.entire` of files that Entire writes, or has written in earlier versions. */
const written = [
  /^settings(?:\.local)?\.json(?:\.\d+\.tmp)?$/,
  /^\.gitignore\.\d+\.tmp$/,
  /^logs\/[^/]+\.log(?:\.1)?$/,
  /^tmp\/(?:pi\/)?[^/]+\.json$/,
  /^tmp\/[^/]+\.tmp$/,
  /^tmp\/rewind\//,
  /^metadata\/[^/]+\/(?:prompt|summary|content_hash)\.txt(?:\.\d+\.tmp)?$/,
  /^metadata\/[^/]+\/(?:context\.md|metadata\.json|full\.(?:jsonl|log)(?:\.\d+)?)$/,
  /^metadata\/[^/]+\/tasks\//,
]

export function hasEntireDir(root: string): boolean {
  return lstatSync(join(root, dir), { throwIfNoEntry: false })?.isDirectory() === true
}

/** Returns a line that says what happened. */
export function removeEntireDir(root: string): string {
  try {
    removeIgnoredLines(root)
  } catch (error) {
    // A link in place of the file is the project's own.
    if (!(error instanceof EntireError)) throw error
  }
  const left = removeBelow(join(root, dir), '')
  return left === 0
    ? 'Removed .entire directory'
    : `Left your own files in .entire (${countOf(left, 'file')})`
}

/** Returns how many files are left. */
function removeBelow(base: string, below: string): number {
  let left = 0
  for (const entry of readdirSync(join(base, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) left += removeBelow(base, path)
    else if (written.some((pattern) => pattern.test(path))) unlinkSync(join(base, path))
    else left += 1
  }
  if (left === 0) removeEmpty(join(base, below))
  return left
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch (error) {
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error
  }
}
