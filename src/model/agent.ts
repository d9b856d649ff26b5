// The agent contract. An agent is data and pure functions; it never drives the lifecycle and never touches git.

import type { JsonObject } from '../std/json.ts'
import type { AgentEvent, EventMetadata } from './event.ts'
import type { DeliveredLog, FileWatcher, ProjectContext, TranscriptSections } from './session-file.ts'
import type { TokenUsage } from './tokens.ts'

export type Env = Record<string, string | undefined>

/** Our own agents answer at once; an external one is a program that has to be asked. */
export type MaybePromise<T> = T | Promise<T>

export interface Agent {
  /** Registry name, as in `entire hooks <name> …`. */
  name: string
  /** Display type, as stored in checkpoints. */
  type: string
  description: string
  /** Directories of the work tree that belong to the agent: a rewind never deletes in them. */
  protectedDirs: string[]
  /** Of an external agent: the program that speaks for it. */
  executable?: string
  /** True when the repository at `root` is set up for this agent. */
  detect(root: string): MaybePromise<boolean>
  hookNames: string[]
  /** What a hook means; null when it has no meaning for the lifecycle. `raw`: the payload as it came, which need not be JSON. */
  parseHook(verb: string, payload: JsonObject, env: Env, raw?: Uint8Array): MaybePromise<AgentEvent | null>
  /** Directory the session was started in; a payload's cwd follows the agent's `cd`. */
  projectDir(payload: JsonObject, env: Env): string | undefined
  /** Environment variables that only processes started by this agent have: their commits are the agent's. */
  callerEnv: string[]
  /** The variable among them that holds the session id, where there is one. */
  callerSessionEnv?: string
  transcript: TranscriptFormat
  sections?: TranscriptSections
  source?: TranscriptFetcher
  pieces?: TranscriptPieces
  analyser?: TranscriptAnalyser
  preparer?: TranscriptPreparer
  subagents?: SubagentTranscripts
  /** The agent waits for its subagents: those that nobody told the end of are over when the turn is. */
  tasksEndWithTurn?: boolean
  installer?: HookInstaller
  /** What keeps installed hooks from running, as far as can be seen from outside: the agent may ask its user for leave first. */
  findObstacle?(root: string, env: Env): MaybePromise<Obstacle | undefined>
  /** Hooks of another agent that it runs as well. */
  borrowed?: BorrowedHooks
  /** What to print so that the user of the agent sees a message. */
  hookResponse?(message: string): MaybePromise<string | Uint8Array>
  resume?: SessionResumer
  generator?: TextGenerator
  watcher?: FileWatcher
}

/** What is known of an agent before it is loaded: hooks load the one they need. */
export interface AgentCard extends Pick<Agent, 'name' | 'type' | 'callerEnv' | 'callerSessionEnv'> {
  /** Hooks of another agent that it runs as well. */
  borrows?: Pick<BorrowedHooks, 'from' | 'isSender'>
}

/** For people: why nothing is recorded, and what they can do about it. */
export interface Obstacle {
  message: string
  fix: string
}

/** What a stretch of transcript says. */
export interface TranscriptReading {
  /** Lines or messages in the stretch. */
  items: number
  /** Files that tools wrote, as named in the transcript. */
  files: string[]
  /** What the user typed, without what the agent injected. */
  prompts: string[]
  /** The last text of the assistant, if any. */
  summary?: string
  tokens: TokenUsage
  model?: string
  /** Id of the last entry. */
  lastId?: string
  /** Subagents that finished in this stretch. */
  subagents: string[]
  /** What the next stretch must know of this one (bounded in size), so that nothing is counted twice. */
  carry?: JsonObject
}

/** What was said or done, for people to read. */
export interface TranscriptEntry {
  role: 'user' | 'assistant' | 'tool'
  /** Of a tool: what it was called with, in short. */
  text: string
  /** Of a tool. */
  name?: string
}

export interface TranscriptFormat {
  /** `lines`: JSONL that grows at the end. `document`: one JSON value, rewritten whole. */
  shape(head: string): 'lines' | 'document'
  /** Reads complete lines; lines it does not understand are skipped, never thrown at. */
  readLines(lines: string[], carry: JsonObject | undefined, metadata?: EventMetadata): TranscriptReading
  /** Reads a document from the given item on, or what the carry says has not been read. Throws when it is not one. */
  readDocument?(text: string, from: number, metadata?: EventMetadata, carry?: JsonObject): TranscriptReading
  /** The conversation from the given line or message on, without what the agent injected. Throws when it is no transcript. */
  readEntries?(text: string, from: number): TranscriptEntry[]
  /** A line as it is to be stored: without what nobody but the agent's maker can read. The number of lines never changes. */
  strip?(line: string): string
  /** For agents that keep a running total in another file instead of usage in the transcript. */
  totals?: UsageTotals
  /** The id of the entry that carries the result of a tool call, for rewinding to the end of a task. */
  toolResultId?(lines: string[], toolUse: string): string | undefined
  /** The transcript up to and including the entry with this id. */
  truncateAt?(lines: string[], id: string): string[]
}

export interface UsageTotals {
  /** The file that belongs to this transcript. */
  path(transcript: string): string
  /** Usage since the beginning of the session. Undefined when the text does not say. */
  parse(text: string): Pick<TranscriptReading, 'tokens' | 'model'> | undefined
}

/** For agents whose transcripts are not simply files: the reference that a session has is theirs to understand. */
export interface TranscriptFetcher {
  /** The reference of a session whose events name none. */
  locate(session: string, place: ProjectContext): Promise<string | undefined>
  /** The transcript, or the file to read instead when it is too large to be handed over. Throws when it cannot be had. */
  fetch(reference: string, place: ProjectContext): Promise<{ bytes: Buffer } | { file: string }>
}

/** What an analyser finds from a position on. The unit of positions is its own. */
export type TranscriptAnalysis = Pick<TranscriptReading, 'files' | 'prompts' | 'summary' | 'tokens'> & {
  position: number
}

/** For agents that read their transcripts themselves. What cannot be found out is left empty; it never throws. */
export interface TranscriptAnalyser {
  /** 0 when there is no transcript yet. */
  position(reference: string): Promise<number>
  /** A transcript that is shorter than `from` is another one: it is read from its beginning. */
  read(transcript: {
    reference: string
    session: string
    from: number
    bytes: Uint8Array
  }): Promise<TranscriptAnalysis>
}

export interface SubagentTranscripts {
  transcriptPath(mainTranscript: string, subagent: string): string
}

/** Where hooks are installed, and where the user's original file is kept until it is given back. */
export interface HookSite {
  root: string
  keepDir: string
}

export interface HookInstaller {
  /** Path of the edited file, relative to the root. */
  configPath: string
  /** Returns the number of entries added: 0 when everything was there. Promises, so that the editor of config files is loaded only when used. */
  install(site: HookSite, options: { command: string; force: boolean }): Promise<number>
  uninstall(site: HookSite): Promise<void>
  installed(site: HookSite): Promise<boolean>
  /** True when the installed hooks are those of this version. */
  current(site: HookSite, options: { command: string }): Promise<boolean>
}

export interface SessionResumer {
  sessionDir(root: string, env: Env): MaybePromise<string>
  /** The file of a session, there already or to be; `origin` is for agents whose names for files hold more than the id. */
  sessionFile(dir: string, session: string, origin?: LogOrigin): MaybePromise<string>
  /** Undefined when nobody can say. */
  command(session: string): MaybePromise<string | undefined>
  /** Where sessions are kept in no files: puts the session as it is now into the file, or takes the file away when there is none. */
  mirror?(session: string, path: string, place: ProjectContext): Promise<void>
  /** Puts a transcript where the agent finds it. False: it could not, and the file is to be written instead. */
  deliver?(log: DeliveredLog, env?: Env): Promise<boolean>
  /** Makes the directory the project's own, where the agent would otherwise be free to give it to another one. */
  claim?(dir: string, root: string): void
}

/** What is known of a log from where it was recorded. */
export interface LogOrigin {
  /** Name of the file, without its directory. */
  name?: string
  /** RFC 3339. */
  startedAt?: string
  shape?: 'lines' | 'document'
}

/** An agent that answers a prompt without a session of its own, to write summaries. */
export interface TextGenerator {
  /** What to run; the prompt goes to its standard input. */
  command(options: { model?: string }): string[]
  /** Variables it needs; undefined ones must not be there. */
  env?: Env
  /** Where it must run; elsewhere it runs in an empty directory, so that its own hooks find nothing to record. */
  dir?: string
  /** The answer in what it printed. Throws when there is none. */
  parseAnswer(output: string): string
}

// What is known of an agent that also runs the hooks that were installed for another one.

export interface BorrowedHooks {
  /** The name of the agent they were installed for. */
  from: string
  /** The other one's hooks, as hooks of its own. Those that are missing are not heard. */
  verbs: Record<string, string>
  /** True when the payload shows who ran the hook. */
  isSender(payload: JsonObject): boolean
}

// Transcripts are stored in pieces. Some agents alone know how theirs are cut.

/** Undefined: it could not be done, and somebody was told why where that matters. */
export interface TranscriptPieces {
  /** Pieces that `join` makes the same bytes of. */
  cut(whole: Buffer, maxBytes: number): Promise<Buffer[] | undefined>
  /** For pieces that do not simply join; `isWhole` knows what was cut. */
  join(pieces: Buffer[], isWhole: (bytes: Buffer) => boolean): Promise<Buffer | undefined>
}

// For agents that write their transcript late.

export interface TranscriptPreparer {
  /** Returns when it is complete, or when waiting longer is useless; gives what is to be remembered the next time. */
  prepare(
    transcript: string,
    event: AgentEvent,
    remembered: () => EventMetadata | undefined,
  ): Promise<EventMetadata | undefined>
}
