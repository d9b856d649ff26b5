// Writes the blobs, trees, commits and refs of a save through one `git fast-import`, which costs the same in
// a repository of any size.

import { closeSync, fstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { encodePath } from '../std/encoding.ts'
import { EntireError, isErrno } from '../std/errors.ts'
import { openRegular, readRange, readText, removeFile } from '../std/file.ts'
import { writePoint } from '../std/kill-point.ts'
import type { PipedProcess } from '../std/process.ts'
import type { Identity } from './config.ts'
import { gitFailure, startGit } from './exec.ts'
import type { Oid } from './oid.ts'
import { moveRefs, type RefTip } from './refs.ts'
import type { Repo } from './repo.ts'

export type FileMode = '100644' | '100755' | '120000' | '040000' | '160000'

/** A change of one path in a commit's tree. An empty path with mode 040000 replaces the whole tree. */
export type TreeChange =
  | { path: string; mode: FileMode; oid: Oid }
  | { path: string; mode: FileMode; content: Uint8Array }
  /** A blob written by the same import. */
  | { path: string; mode: FileMode; mark: Mark }
  /** A file on disk, which `storeFiles` turns into a blob piece by piece. */
  | { path: string; mode: FileMode; file: string | Buffer }
  | { path: string; deleted: true }

export interface NewCommit {
  ref: string
  /** Undefined for a root commit. */
  parent: Oid | undefined
  /** Further parents, for merges. */
  mergeParents?: Oid[]
  message: string
  author: Identity
  seconds: number
  /** Applied in order. */
  changes: TreeChange[]
}

export type Mark = number

// Keeps freed memory for the next object instead of returning it to the system after each one. Only the GNU C
// library reads these. https://www.gnu.org/software/libc/manual/html_node/Malloc-Tunable-Parameters.html
const mallocEnv = { MALLOC_TRIM_THRESHOLD_: String(64 * 1024 * 1024), MALLOC_TOP_PAD_: String(1024 * 1024) }

// Writing one small pack is faster than writing loose objects, and needs no second process.
// https://git-scm.com/docs/git-config#Documentation/git-config.txt-fastimportunpackLimit
// A large file passes through git in pieces, and is not compared with the one before it.
// https://git-scm.com/docs/git-config#Documentation/git-config.txt-corebigFileThreshold
const command = [
  ...['-c', 'fastimport.unpackLimit=0', '-c', 'core.bigFileThreshold=8m'],
  ...['fast-import', '--quiet', '--done'],
]

export function startFastImport(repo: Repo): FastImport {
  return new FastImport(repo)
}

export class FastImport {
  readonly #repo: Repo
  readonly #process: PipedProcess
  readonly #output: WriteBuffer
  readonly #committedRefs = new Set<string>()
  readonly #deletions: RefTip[] = []
  #lastMark = 0
  #unread = ''
  #lastRead: Promise<unknown> = Promise.resolve()

  constructor(repo: Repo) {
    this.#repo = repo
    this.#process = startGit(repo, command, mallocEnv)
    this.#output = new WriteBuffer(this.#process.write)
    // Marks the stream as Entire's: a crash report shows the commands it received.
    this.#output.send('# entire\n')
  }

  blob(content: Uint8Array): Mark {
    this.#lastMark += 1
    this.#output.send(`blob\nmark :${this.#lastMark}\n`)
    this.#sendData(content)
    return this.#lastMark
  }

  /**
   * Stores the files that changes name, and waits for git in between, so that no more than a piece of them is in
   * memory. A file that shrinks or vanishes meanwhile is dropped: the path stays as it is in the tree.
   */
  async storeFiles(changes: TreeChange[]): Promise<TreeChange[]> {
    const stored: TreeChange[] = []
    for (const change of changes) {
      if (!('file' in change)) {
        stored.push(change)
        continue
      }
      const mark = await this.#storeFile(change.file)
      if (mark !== undefined) stored.push({ path: change.path, mode: change.mode, mark })
    }
    return stored
  }

  async #storeFile(path: string | Buffer): Promise<Mark | undefined> {
    const fd = openIfThere(path)
    if (fd === undefined) return undefined
    try {
      const { size } = fstatSync(fd)
      this.#lastMark += 1
      this.#output.send(`blob\nmark :${this.#lastMark}\ndata ${size}\n`)
      let isWhole = true
      for (let at = 0; at < size; at += pieceBytes) {
        const length = Math.min(pieceBytes, size - at)
        const piece = readRange(fd, at, length)
        isWhole &&= piece.length === length
        // The length is announced, so what is missing is filled up. No tree names such a blob.
        this.#output.send(isWhole ? piece : Buffer.concat([piece], length))
        this.#output.flush()
        await this.#process.flush()
      }
      this.#output.send('\n')
      return isWhole ? this.#lastMark : undefined
    } finally {
      closeSync(fd)
    }
  }

  commit(commit: NewCommit): Mark {
    this.#lastMark += 1
    const { name, email } = commit.author
    const committer = `committer ${name} <${email}> ${Math.floor(commit.seconds)} +0000`
    this.#output.send(`commit ${commit.ref}\nmark :${this.#lastMark}\n${committer}\n`)
    // Git cuts a message at a NUL when it shows one.
    this.#sendData(Buffer.from(commit.message.replaceAll('\0', '')))
    // A second commit on a ref continues the first by itself; naming the old tip again would drop the first.
    if (commit.parent !== undefined && !this.#committedRefs.has(commit.ref))
      this.#output.send(`from ${commit.parent}\n`)
    for (const parent of commit.mergeParents ?? []) this.#output.send(`merge ${parent}\n`)
    this.#committedRefs.add(commit.ref)
    for (const change of commit.changes) if (isTrackable(change.path)) this.#sendChange(change)
    this.#output.send('\n')
    return this.#lastMark
  }

  /** Points a ref at a commit; an existing ref only moves forward. */
  resetRef(ref: string, to: Oid): void {
    this.#output.send(`reset ${ref}\nfrom ${to}\n\n`)
  }

  /**
   * Deletes a ref once everything else is written, unless it has moved since it was seen at `oid`: then it
   * holds new work. Fast-import's own deletion would not check where the ref is.
   */
  deleteRef(ref: string, oid: Oid): void {
    this.#deletions.push({ ref, oid })
  }

  /** The tree of a commit written by this import. */
  async treeOf(mark: Mark): Promise<Oid> {
    this.#output.send(`ls :${mark} ""\n`)
    return (await this.#readLine()).split(/[ \t]/)[2] as Oid
  }

  async oidOf(mark: Mark): Promise<Oid> {
    this.#output.send(`get-mark :${mark}\n`)
    return await this.#readLine()
  }

  /** Sends everything written so far, so that git compresses blobs while the program goes on. */
  flush(): void {
    this.#output.flush()
  }

  /** Makes git look up a commit that later commits build on, while it would otherwise be idle. */
  prefetchCommit(commit: Oid): void {
    this.#output.send(`ls ${commit} ""\n`)
    // The answer does not matter. If the commit is missing, git fails when something is built on it.
    this.#readLine().catch(() => {})
  }

  /** Ends the stream. Throws `ref-moved` when a ref changed meanwhile: read again and retry, never force. */
  async finish(): Promise<void> {
    writePoint()
    this.#output.send('done\n')
    this.#output.flush()
    const ended = await this.#process.end()
    writePoint()
    if (ended.code !== 0) throw this.#failure(ended)
    for (const { ref, oid } of this.#deletions) await deleteUnmoved(this.#repo, ref, oid)
  }

  /** Nothing becomes visible: neither refs nor objects, which a `git add` could take up before they go. */
  async abort(): Promise<void> {
    if (this.#lastMark > 0) {
      const packs = unfinishedPacks(this.#process.pid)
      await this.#process.kill()
      for (const path of packs) removeFile(path)
      return
    }
    this.#output.send('done\n')
    this.#output.flush()
    await this.#process.end()
    removeCrashReport(this.#repo, this.#process.pid)
  }

  #sendData(content: Uint8Array): void {
    this.#output.send(`data ${content.length}\n`, content, '\n')
  }

  #sendChange(change: TreeChange): void {
    const path = quotePath(change.path)
    if ('deleted' in change) this.#output.send('D ', path, '\n')
    else if ('oid' in change) this.#output.send(`M ${change.mode} ${change.oid} `, path, '\n')
    else if ('mark' in change) this.#output.send(`M ${change.mode} :${change.mark} `, path, '\n')
    else if ('content' in change) {
      this.#output.send(`M ${change.mode} inline `, path, '\n')
      this.#sendData(change.content)
    } else throw new Error(`storeFiles was not called for ${change.path}`)
  }

  // Reads one after the other: several answers may arrive in one piece, and a second reader would wait for
  // more forever.
  #readLine(): Promise<string> {
    const line = this.#lastRead.then(() => this.#readNextLine())
    this.#lastRead = line.catch(() => {})
    return line
  }

  async #readNextLine(): Promise<string> {
    this.#output.flush()
    await this.#process.flush()
    while (!this.#unread.includes('\n')) {
      const { value, done } = await this.#process.output.read()
      if (done) throw this.#failure(await this.#process.end())
      this.#unread += Buffer.from(value).toString('utf8')
    }
    const line = this.#unread.slice(0, this.#unread.indexOf('\n'))
    this.#unread = this.#unread.slice(line.length + 1)
    return line
  }

  #failure(ended: { code: number; stderr: string }): EntireError {
    removeCrashReport(this.#repo, this.#process.pid)
    return importFailure(this.#repo, ended)
  }
}

const pieceBytes = 1024 * 1024

function openIfThere(path: string | Buffer): number | undefined {
  try {
    return openRegular(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EACCES', 'EPERM')) return undefined
    throw error
  }
}

async function deleteUnmoved(repo: Repo, ref: string, was: Oid): Promise<void> {
  try {
    await moveRefs(repo, [{ ref, from: was, to: undefined }])
  } catch (error) {
    if (!(error instanceof EntireError && error.code === 'ref-moved')) throw error
  }
}

// Fast-import would store such paths, but no checkout accepts them: a tree with `.git/hooks` in it is an
// attack. https://git-scm.com/docs/git-fsck
function isTrackable(path: string): boolean {
  return path === '' || !path.split('/').some((part) => /^(?:\.{0,2}|\.git)$/i.test(part))
}

function quotePath(path: string): Uint8Array {
  const bytes = encodePath(path).toString('latin1')
  return Buffer.from(`"${bytes.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`, 'latin1')
}

function importFailure(repo: Repo, ended: { code: number; stderr: string }): EntireError {
  if (/cannot create keep file/.test(ended.stderr)) {
    releasePacks(repo)
    return new EntireError('ref-moved', 'An import that was killed had begun to write the same pack.', {
      hint: 'Run the command again.',
    })
  }
  // `git gc --prune=now` removes packs that others are writing.
  if (ended.stderr.split('\n').some(isLostPack)) {
    return new EntireError('ref-moved', 'Git removed a pack while it was being written.', {
      hint: 'Run the command again.',
    })
  }
  if (/not updating|does not contain|cannot lock ref|failed to update ref/i.test(ended.stderr)) {
    return new EntireError('ref-moved', 'A ref changed while it was being written.', {
      hint: 'Run the command again.',
    })
  }
  return gitFailure(['fast-import'], ended)
}

// A killed import leaves a .keep file beside the pack it was writing. The same save, repeated, writes the
// same pack and fails on that file, but leaves the pack under a temporary name. Packs are named after the hash
// at their end, so only the mark of that very pack is removed, and not that of an import that runs elsewhere.
function releasePacks(repo: Repo): void {
  const dir = join(repo.commonDir, 'objects', 'pack')
  const names = readdirSync(dir)
  for (const keep of names.filter((name) => name.endsWith('.keep'))) {
    const hash = Buffer.from(/^pack-([0-9a-f]+)\.keep$/.exec(keep)?.[1] ?? '', 'hex')
    const copies = names.filter((name) => isCopyOf(hash, join(dir, name)))
    if (copies.length === 0 || readText(join(dir, keep)) !== 'fast-import') continue
    for (const name of [keep, ...copies]) removeFile(join(dir, name))
  }
}

// An index ends with the hash of its pack and then its own.
function isCopyOf(hash: Buffer, path: string): boolean {
  const kind = /[/]tmp_(pack|idx)_[^/]+$/.exec(path)?.[1]
  const fd = kind === undefined || hash.length === 0 ? undefined : openIfThere(path)
  if (fd === undefined) return false
  try {
    const from = fstatSync(fd).size - hash.length * (kind === 'idx' ? 2 : 1)
    return from > 0 && readRange(fd, from, hash.length).equals(hash)
  } finally {
    closeSync(fd)
  }
}

// The packs that a running import writes, where the system tells; elsewhere `git gc` removes them.
function unfinishedPacks(pid: number): string[] {
  const dir = `/proc/${pid}/fd`
  try {
    const paths = readdirSync(dir).map((fd) => readlinkSync(join(dir, fd)))
    return paths.filter((path) => /[/]tmp_pack_[^/]+$/.test(path))
  } catch {
    return []
  }
}

// Fast-import writes a crash report beside the repository when it is aborted. Reports of other processes
// stay.
function removeCrashReport(repo: Repo, pid: number): void {
  removeFile(join(repo.gitDir, `fast_import_crash_${pid}`))
}

const flushAtBytes = 256 * 1024
// Copying a piece of this size into the buffer costs more than writing it by itself.
const largeBytes = 64 * 1024

/** Collects small pieces for a pipe, because a small write costs as much as a large one. */
class WriteBuffer {
  readonly #write: (bytes: Uint8Array) => void
  #parts: Uint8Array[] = []
  #size = 0

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write
  }

  send(...parts: (string | Uint8Array)[]): void {
    for (const part of parts) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part
      if (bytes.length < largeBytes) {
        this.#parts.push(bytes)
        this.#size += bytes.length
        continue
      }
      this.flush()
      this.#write(bytes)
    }
    if (this.#size > flushAtBytes) this.flush()
  }

  flush(): void {
    if (this.#parts.length > 0) this.#write(Buffer.concat(this.#parts))
    this.#parts = []
    this.#size = 0
  }
}

function isLostPack(line: string): boolean {
  return line.includes('unable to write file ') && /\.(?:pack|idx|keep): No such file/.test(line)
}
