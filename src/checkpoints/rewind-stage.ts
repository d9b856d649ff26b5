// Files on their way into the work tree: written beside it first, so that all that can fail has failed before anything of the user's changes.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ObjectReader } from '../git/cat-file.ts'
import { git } from '../git/exec.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import { EntireError } from '../std/errors.ts'
import { encodePath, nativePathIn } from '../std/path-bytes.ts'
import { type FileEntry, linkMode } from './rewind-compare.ts'
import { type Disk, type Place, parentOf } from './rewind-disk.ts'

/** One at a time: whoever stages holds the lock of the work tree. */
export interface Stage extends Disposable {
  /** As a checkout would write them, through filters. Files that are there keep their permissions. */
  addCheckedOut(disk: Disk, files: ReadonlyMap<string, FileEntry>): Promise<void>
  /** Byte for byte, with exactly these permissions. */
  addRaw(objects: ObjectReader, commit: Oid, files: RawFile[]): Promise<void>
  /** Where the staged form of a path is. */
  place(path: string): string | Buffer
}

export interface RawFile {
  path: string
  /** Permission bits; undefined: a link. */
  mode: number | undefined
}

function stageDir(repo: Repo): string {
  return join(repo.root, '.entire', 'tmp', 'rewind')
}

/** What a process that was killed left behind. */
export function clearStage(repo: Repo): void {
  rmSync(stageDir(repo), { recursive: true, force: true })
}

export function openStage(repo: Repo): Stage {
  const dir = stageDir(repo)
  const files = join(dir, 'files')
  clearStage(repo)
  const place = (path: string) => nativePathIn(files, path)
  return {
    place,
    async addCheckedOut(disk, wanted) {
      if (wanted.size === 0) return
      mkdirSync(files, { recursive: true })
      await checkOut(repo, dir, wanted)
      for (const [path, { mode }] of wanted) {
        const now = disk.at(path)
        if (mode !== linkMode && now.kind === 'file') chmodSync(place(path), keptMode(now, mode))
      }
    },
    async addRaw(objects, commit, wanted) {
      for (const { path, mode } of wanted) {
        const object = await objects.contents(`${commit}:${path}`)
        if (object === undefined) throw new EntireError('not-found', `The copy of ${path} is gone: git has deleted ${commit.slice(0, 7)}.`)
        mkdirSync(nativePathIn(files, parentOf(path)), { recursive: true })
        if (mode === undefined) symlinkSync(object.content, place(path))
        else {
          writeFileSync(place(path), object.content)
          chmodSync(place(path), mode)
        }
      }
    },
    [Symbol.dispose]: () => clearStage(repo),
  }
}

// Only git knows line endings, filters and links. An index of its own keeps it away from the user's. https://git-scm.com/docs/git-checkout-index
async function checkOut(repo: Repo, dir: string, files: ReadonlyMap<string, FileEntry>): Promise<void> {
  const env = { GIT_INDEX_FILE: join(dir, 'index') }
  const zero = Buffer.of(0)
  const entries = [...files].flatMap(([path, { mode, oid }]) => [Buffer.from(`${mode} ${oid}\t`), encodePath(path), zero])
  await git(repo, ['update-index', '-z', '--index-info'], { stdin: Buffer.concat(entries), env })
  const names = [...files.keys()].flatMap((path) => [encodePath(path), zero])
  await git(repo, ['checkout-index', '--quiet', '-z', '--stdin', `--prefix=${join(dir, 'files')}/`], { stdin: Buffer.concat(names), env })
}

// Git knows one bit of the permissions; who may read the file is the user's decision.
function keptMode(place: Extract<Place, { kind: 'file' }>, mode: string): number {
  return mode === '100755' ? place.mode | ((place.mode & 0o444) >> 2) : place.mode & ~0o111
}
