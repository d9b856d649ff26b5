// Asks git for what one event needs: each answer at most once, and no process before it is needed.

import type { FreshBlob } from '../checkpoints/chunk-store.ts'
import { type ObjectReader, type ObjectReaderOptions, openObjectReader } from '../git/cat-file.ts'
import { type RepoConfig, readConfig } from '../git/config.ts'
import { type FastImport, startFastImport } from '../git/fast-import.ts'
import { emptyTree, type Oid } from '../git/oid.ts'
import { moveRefs, type RefMove } from '../git/refs.ts'
import { objectFormat, type Repo } from '../git/repo.ts'
import { readStatus, type Status } from '../git/status.ts'
import { prefetch } from '../std/prefetch.ts'

/** Before the first commit, the empty tree stands for HEAD: everything is new then. */
export interface RecordedStatus extends Status {
  head: Oid
}

export interface GitSession {
  objects: ObjectReader
  status(): Promise<RecordedStatus>
  config(): Promise<RepoConfig>
  writes(): FastImport
  /** Adds a blob to the import. `objects` can read it at once. */
  storeBlob(blob: FreshBlob): void
  /** Starts these now, side by side. */
  prefetch(...what: ('status' | 'objects' | 'writes' | 'config')[]): void
  /** Finishes the import, if one was started: git moves the refs now. */
  commit(): Promise<void>
  /** Moves refs now, all or none. Never beside this: `objects` remembers where refs are. */
  moveRefs(moves: RefMove[]): Promise<void>
  /** HEAD has moved: the status is asked for again. */
  forgetStatus(): void
  [Symbol.asyncDispose](): Promise<void>
}

export interface GitSessionOptions {
  /** An answer of `git status` that is on its way already. */
  status?: Promise<Status> | undefined
  /** How objects are read. */
  reading?: ObjectReaderOptions
}

export function openGit(repo: Repo, { status: asked, reading }: GitSessionOptions = {}): GitSession {
  const reader = openObjectReader(repo, reading)
  const { objects, remember, forget, forgetRefs } = cachedReader(reader)
  let status = asked
  let recorded: Promise<RecordedStatus> | undefined
  let config: Promise<RepoConfig> | undefined
  let writes: FastImport | undefined
  const startStatus = () => {
    status ??= readStatus(repo)
    recorded ??= status.then((found) => ({ ...found, head: found.head ?? emptyTree(objectFormat(repo)) }))
    return recorded
  }
  const startWrites = () => {
    writes ??= startFastImport(repo)
    return writes
  }
  const startConfig = () => {
    config ??= readConfig(repo)
    return config
  }
  return {
    objects,
    status: startStatus,
    config: startConfig,
    writes: startWrites,
    storeBlob(blob) {
      startWrites().blob(blob.content)
      startWrites().flush()
      remember(blob)
    },
    prefetch(...what) {
      if (what.includes('status')) prefetch(startStatus())
      if (what.includes('config')) prefetch(startConfig())
      if (what.includes('objects')) reader.start()
      if (what.includes('writes')) startWrites()
    },
    async commit() {
      const started = writes
      writes = undefined
      await started?.finish()
      forget()
    },
    async moveRefs(moves) {
      try {
        await moveRefs(repo, moves)
      } finally {
        forgetRefs()
      }
    },
    forgetStatus() {
      status = undefined
      recorded = undefined
    },
    async [Symbol.asyncDispose]() {
      await writes?.abort()
      await reader[Symbol.asyncDispose]()
    },
  }
}

/** Many sessions ask the same about one commit. Answers about refs hold until this event moves refs. */
function cachedReader(reader: ObjectReader): {
  objects: ObjectReader
  remember(blob: FreshBlob): void
  forget(): void
  forgetRefs(): void
} {
  const infos = new Map<string, ReturnType<ObjectReader['info']>>()
  const tips = new Map<string, ReturnType<ObjectReader['contents']>>()
  // Other processes can read these blobs only when the import has finished.
  const fresh = new Map<string, Buffer>()
  const info: ObjectReader['info'] = async (name) => {
    const content = fresh.get(name)
    if (content !== undefined) return { oid: name, type: 'blob', size: content.length }
    const known = infos.get(name) ?? reader.info(name)
    infos.set(name, known)
    return known
  }
  const contents: ObjectReader['contents'] = async (name) => {
    const content = fresh.get(name)
    if (content !== undefined) return { oid: name, type: 'blob', size: content.length, content }
    if (!name.startsWith('refs/')) return reader.contents(name)
    const known = tips.get(name) ?? reader.contents(name)
    tips.set(name, known)
    return known
  }
  const forgetRefs = () => {
    infos.clear()
    tips.clear()
  }
  return {
    objects: { ...reader, info, contents },
    remember: ({ oid, content }) => fresh.set(oid, content),
    forget: () => {
      forgetRefs()
      fresh.clear()
    },
    forgetRefs,
  }
}
