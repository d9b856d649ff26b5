// Writing: blobs, trees, commits and refs of a save go through one `git fast-import`, which costs the same in any size of repository.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { encodePath } from '../std/encoding.ts'
import { EntireError } from '../std/errors.ts'
import { writePoint } from '../std/fault.ts'
import { readText, removeFile } from '../std/file.ts'
import type { Identity } from './config.ts'
import { gitFailure, startGit } from './exec.ts'
import type { Oid } from './oid.ts'
import { moveRefs } from './refs.ts'
import type { Repo } from './repo.ts'

export type FileMode = '100644' | '100755' | '120000' | '040000' | '160000'

/** A change of one path in a commit's tree. An empty path with mode 040000 replaces the whole tree. */
export type TreeChange =
  | { path: string; mode: FileMode; oid: Oid }
  | { path: string; mode: FileMode; content: Uint8Array }
  /** A blob of the same import. */
  | { path: string; mode: FileMode; mark: Mark }
  | { path: string; deleted: true }

export interface NewCommit {
  ref: string
  /** Undefined: a commit without parent. */
  parent: Oid | undefined
  /** Further parents, for merges. */
  mergeParents?: Oid[]
  message: string
  author: Identity
  seconds: number
  /** Applied in order. */
  changes: TreeChange[]
}

export interface FastImport {
  commit(commit: NewCommit): Mark
  /** Points a ref at a commit; a ref that exists only moves forward. */
  resetRef(ref: string, to: Oid): void
  /** Deletes a ref after everything else is written, if it is still where it was seen; else it holds something new and stays. */
  deleteRef(ref: string, was: Oid): void
  /** Tree of a commit of this import. */
  treeOf(mark: Mark): Promise<Oid>
  oidOf(mark: Mark): Promise<Oid>
  blob(content: Uint8Array): Mark
  /** Sends what there is: git compresses blobs while we go on. */
  flush(): void
  /** Has git look up the commit that others are going to build on, while it has nothing else to do. */
  prefetchCommit(commit: Oid): void
  /** Ends the stream. Throws `ref-moved` when a ref changed meanwhile: read again and retry, never force. */
  finish(): Promise<void>
  abort(): Promise<void>
}

export type Mark = number

// Git takes and gives back memory for every object it compresses. Kept, it is not taken from the system again each time; a C library
// other than GNU's does as it likes. https://www.gnu.org/software/libc/manual/html_node/Malloc-Tunable-Parameters.html
const keepsMemory = { MALLOC_TRIM_THRESHOLD_: String(64 * 1024 * 1024), MALLOC_TOP_PAD_: String(1024 * 1024) }

export function startFastImport(repo: Repo): FastImport {
  // One small pack is written faster than loose objects, and needs no second process. https://git-scm.com/docs/git-config#Documentation/git-config.txt-fastimportunpackLimit
  const conversation = startGit(
    repo,
    ['-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet', '--done'],
    keepsMemory,
  )
  const { send, push } = collectWrites(conversation.write)
  const data = (content: Uint8Array) => send(`data ${content.length}\n`, content, '\n')
  let lastMark = 0
  let unread = ''
  // A crash report shows the last commands: by this one it is known to be ours.
  send('# entire\n')
  const branchTips = new Map<string, Mark>()
  const deletions: { ref: string; was: Oid }[] = []
  let lastRead: Promise<unknown> = Promise.resolve()

  // One reader after the other: answers to several questions may come in one piece, and whoever waits for a second one waits forever.
  function readLine(): Promise<string> {
    const line = lastRead.then(readNext)
    lastRead = line.catch(() => {})
    return line
  }

  async function readNext(): Promise<string> {
    push()
    await conversation.flush()
    while (!unread.includes('\n')) {
      const { value, done } = await conversation.output.read()
      if (done) throw await failure()
      unread += Buffer.from(value).toString('utf8')
    }
    const line = unread.slice(0, unread.indexOf('\n'))
    unread = unread.slice(line.length + 1)
    return line
  }

  async function failure(): Promise<EntireError> {
    const ended = await conversation.end()
    removeCrashReport(repo, conversation.pid)
    return importFailure(repo, ended)
  }

  return {
    flush: push,
    blob(content) {
      lastMark += 1
      send(`blob\nmark :${lastMark}\n`)
      data(content)
      return lastMark
    },
    commit(commit) {
      lastMark += 1
      const { name, email } = commit.author
      send(
        `commit ${commit.ref}\nmark :${lastMark}\ncommitter ${name} <${email}> ${Math.floor(commit.seconds)} +0000\n`,
      )
      // Git cuts a message at a NUL when it shows one.
      data(Buffer.from(commit.message.replaceAll('\0', '')))
      // Within one stream a second commit on a ref continues the first by itself; naming the old tip again would drop it.
      if (commit.parent !== undefined && !branchTips.has(commit.ref)) send(`from ${commit.parent}\n`)
      for (const parent of commit.mergeParents ?? []) send(`merge ${parent}\n`)
      branchTips.set(commit.ref, lastMark)
      for (const change of commit.changes.filter(({ path }) => isTrackable(path))) {
        const path = quotePath(change.path)
        if ('deleted' in change) send('D ', path, '\n')
        else if ('oid' in change) send(`M ${change.mode} ${change.oid} `, path, '\n')
        else if ('mark' in change) send(`M ${change.mode} :${change.mark} `, path, '\n')
        else {
          send(`M ${change.mode} inline `, path, '\n')
          data(change.content)
        }
      }
      send('\n')
      return lastMark
    },
    prefetchCommit(commit) {
      send(`ls ${commit} ""\n`)
      // The answer does not matter. Where there is none, git fails when something is built on the commit.
      readLine().catch(() => {})
    },
    resetRef: (ref, to) => send(`reset ${ref}\nfrom ${to}\n\n`),
    // Fast-import itself can delete, but would not look at where the ref is.
    deleteRef: (ref, was) => {
      deletions.push({ ref, was })
    },
    async treeOf(mark) {
      send(`ls :${mark} ""\n`)
      return (await readLine()).split(/[ \t]/)[2] as Oid
    },
    async oidOf(mark) {
      send(`get-mark :${mark}\n`)
      return await readLine()
    },
    async finish() {
      writePoint()
      send('done\n')
      push()
      const ended = await conversation.end()
      writePoint()
      if (ended.code !== 0) {
        removeCrashReport(repo, conversation.pid)
        throw importFailure(repo, ended)
      }
      for (const { ref, was } of deletions) await deleteUnmoved(repo, ref, was)
    },
    async abort() {
      // A stream that ends before `done` changes nothing but leaves a crash report; one that holds nothing can end well.
      if (lastMark === 0) send('done\n')
      push()
      await conversation.end()
      removeCrashReport(repo, conversation.pid)
    },
  }
}

async function deleteUnmoved(repo: Repo, ref: string, was: Oid): Promise<void> {
  try {
    await moveRefs(repo, [{ ref, from: was, to: undefined }])
  } catch (error) {
    if (!(error instanceof EntireError && error.code === 'ref-moved')) throw error
  }
}

// Fast-import would store these, yet no checkout may: a tree that holds `.git/hooks` is an attack. https://git-scm.com/docs/git-fsck
function isTrackable(path: string): boolean {
  return path === '' || !path.split('/').some((part) => /^(?:\.{0,2}|\.git)$/i.test(part))
}

function quotePath(path: string): Uint8Array {
  const bytes = encodePath(path).toString('latin1')
  return Buffer.from(`"${bytes.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`, 'latin1')
}

// How a `git fast-import` that failed is understood, and what it leaves behind.

/** What its last words mean. */
export function importFailure(repo: Repo, ended: { code: number; stderr: string }): EntireError {
  if (/cannot create keep file/.test(ended.stderr)) {
    releasePacks(repo)
    return new EntireError('ref-moved', 'An import that was killed had begun the same pack.', {
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

// A killed import leaves its mark on the pack it was writing; the same save made again would be the same pack, and find it taken.
function releasePacks(repo: Repo): void {
  const dir = join(repo.commonDir, 'objects', 'pack')
  for (const name of readdirSync(dir).filter((entry) => entry.endsWith('.keep'))) {
    if (readText(join(dir, name)) === 'fast-import') removeFile(join(dir, name))
  }
}

// An aborted fast-import dumps its state beside the repository; only the report of our own process is ours to remove.
export function removeCrashReport(repo: Repo, pid: number): void {
  removeFile(join(repo.gitDir, `fast_import_crash_${pid}`))
}

// Thousands of small pieces for a pipe: each write of its own would cost as much as a large one.

const enough = 256 * 1024
// Copying such a piece would cost more than a write.
const large = 64 * 1024

export interface CollectedWrites {
  send(...parts: (string | Uint8Array)[]): void
  /** Writes what was collected, now. */
  push(): void
}

export function collectWrites(write: (bytes: Uint8Array) => void): CollectedWrites {
  let parts: Uint8Array[] = []
  let size = 0
  const push = () => {
    if (parts.length > 0) write(Buffer.concat(parts))
    parts = []
    size = 0
  }
  return {
    push,
    send(...more) {
      for (const part of more) {
        const bytes = typeof part === 'string' ? Buffer.from(part) : part
        if (bytes.length < large) {
          parts.push(bytes)
          size += bytes.length
          continue
        }
        push()
        write(bytes)
      }
      if (size > enough) push()
    },
  }
}
