// One event being handled: the session, and what it needs of git. Everything is asked at most once, and started only when needed.

import type { FreshBlob } from '../checkpoints/chunk-store.ts'
import type { Snapshot } from '../checkpoints/snapshot.ts'
import type { WriteContext } from '../checkpoints/write.ts'
import { type ObjectReader, type ObjectReaderOptions, openObjectReader } from '../git/cat-file.ts'
import { type RepoConfig, readConfig } from '../git/config.ts'
import { type FastImport, startFastImport } from '../git/fast-import.ts'
import type { Repo } from '../git/repo.ts'
import { readStatus, type Status } from '../git/status.ts'
import type { Agent, AgentCard, Env } from '../model/agent.ts'
import type { AgentEvent } from '../model/event.ts'
import type { Session, TranscriptCursor } from '../model/session.ts'
import type { Settings } from '../model/settings.ts'
import type { TokenUsage } from '../model/tokens.ts'
import type { Log, Trace } from '../std/log.ts'
import { prefetch } from '../std/prefetch.ts'
import type { RandomHex } from '../std/random.ts'
import type { Clock } from '../std/time.ts'
import type { LiveIndex } from './live-index.ts'
import type { PrefetchedStatus } from './prefetch-status.ts'

export interface Redaction {
  /** For transcripts and other JSON. */
  json(text: string): string
  /** For plain text. */
  text(text: string): string
}

/** What recording needs of the world around it. */
export interface Recorder {
  repo: Repo
  settings: Settings
  env: Env
  home: string
  /** What git hooks call: `entire`, or an absolute path. */
  command: string
  cliVersion: string
  clock: Clock
  random: RandomHex
  log: Log
  trace: Trace
  /** What git was asked before the rest of the program was loaded. */
  prefetchedStatus?: PrefetchedStatus | undefined
  /** A line for the person at the terminal. */
  say(line: string): void
  /** Bytes for the agent that called us. */
  respond(text: string | Uint8Array): void
  agentCards(): AgentCard[]
  findAgentByType(type: string): Promise<Agent | undefined>
  loadAgents(): Promise<Agent[]>
  /** Loaded when something is about to be stored: most hooks store nothing. */
  redaction(): Promise<Redaction>
}

/** Git, asked lazily and once. */
export interface GitSession {
  objects: ObjectReader
  status(): Promise<Status>
  config(): Promise<RepoConfig>
  writes(): FastImport
  /** Adds a blob to the import; it can be read at once. */
  storeBlob(blob: FreshBlob): void
  /** Begins with what is going to be needed, side by side. */
  prefetch(...what: ('status' | 'objects' | 'writes' | 'config')[]): void
  /** Ends the import, if one was started: from here on the refs are moved. */
  commit(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** What the transcript says since the last save, and its redacted form, not stored yet. */
export interface TurnTranscript {
  files: string[]
  prompts: string[]
  summary: string
  tokens: TokenUsage
  /** Tokens of an agent that keeps totals beside its transcript. */
  growth: TokenUsage
  /** The prompts, which no hook told of, are about to be noted. */
  isNoted?: boolean
  model: string | undefined
  lastId: string | undefined
  cursor: TranscriptCursor
  /** It has grown since the last save. */
  isNew: boolean
  /** What is not stored yet. */
  blobs: FreshBlob[]
  restarted: boolean
}

export interface EventWork extends GitSession {
  recorder: Recorder
  agent: Agent
  event: AgentEvent
  session: Session
  live: LiveIndex
  transcript?: Promise<TurnTranscript | undefined>
  /** What goes into the step of the work tree, if that has been stored already. */
  snapshot?: Promise<Snapshot>
  /** Stores what the transcript brings before it is read, if it is going to be stored anyway; takes what it stores off the list. */
  storeEarly?(blobs: FreshBlob[]): Promise<void>
  /** Run after refs and state are written. */
  afterwards: (() => void | Promise<void>)[]
}

export interface GitSessionOptions {
  /** One that was asked before. */
  status?: Promise<Status> | undefined
  /** How objects are read. */
  reading?: ObjectReaderOptions
}

export function openGit(repo: Repo, { status: asked, reading }: GitSessionOptions = {}): GitSession {
  const reader = openObjectReader(repo, reading)
  const { objects, remember, forget } = cachedReader(reader)
  let status = asked
  let config: Promise<RepoConfig> | undefined
  let writes: FastImport | undefined
  const startStatus = () => {
    status ??= readStatus(repo)
    return status
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
    async [Symbol.asyncDispose]() {
      await writes?.abort()
      await reader[Symbol.asyncDispose]()
    },
  }
}

/** What writing checkpoints needs of the event. */
export async function checkpointWriting(
  work: Pick<EventWork, 'recorder' | 'objects' | 'writes' | 'config'>,
): Promise<WriteContext> {
  return {
    objects: work.objects,
    writes: work.writes(),
    author: (await work.config()).author,
    seconds: Math.floor(work.recorder.clock().getTime() / 1000),
    cliVersion: work.recorder.cliVersion,
  }
}

// Many sessions ask the same questions about one commit: git is asked once.

/** Answers about refs hold until our own import moves them. */
export function cachedReader(reader: ObjectReader): {
  objects: ObjectReader
  remember(blob: FreshBlob): void
  forget(): void
} {
  const infos = new Map<string, ReturnType<ObjectReader['info']>>()
  // What was just written can be read by others only when the import has ended.
  const fresh = new Map<string, Buffer>()
  const info: ObjectReader['info'] = async (name) => {
    const content = fresh.get(name)
    if (content !== undefined) return { oid: name, type: 'blob', size: content.length }
    const known = infos.get(name) ?? reader.info(name)
    infos.set(name, known)
    return known
  }
  const tips = new Map<string, ReturnType<ObjectReader['contents']>>()
  const contents: ObjectReader['contents'] = async (name) => {
    const content = fresh.get(name)
    if (content !== undefined) return { oid: name, type: 'blob', size: content.length, content }
    if (!name.startsWith('refs/')) return reader.contents(name)
    const known = tips.get(name) ?? reader.contents(name)
    tips.set(name, known)
    return known
  }
  return {
    objects: { ...reader, info, contents },
    remember: ({ oid, content }) => fresh.set(oid, content),
    forget: () => {
      infos.clear()
      fresh.clear()
      tips.clear()
    },
  }
}
