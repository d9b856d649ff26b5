// Defines the agent contract. An agent is data and pure functions; it never drives the lifecycle and never
// touches git.

import type { Environment } from '../std/environment.ts'
import type { JsonObject } from '../std/json.ts'
import type { AgentEvent, EventMetadata } from './event.ts'
import type { DeliveredLog, FileWatcher, ProjectContext, TranscriptSections } from './session-file.ts'
import type { TokenUsage } from './tokens.ts'

/** Built-in agents answer at once; an external one is a program that has to be asked. */
export type MaybePromise<T> = T | Promise<T>

export interface Agent {
  /** Registry name, as in `entire hooks <name> …`. */
  name: string
  /** Display type, as stored in checkpoints. */
  type: string
  description: string
  /** Directories of the work tree that belong to the agent; a rewind never deletes in them. */
  protectedDirs: string[]
  /** The program of an external agent. */
  executable?: string
  /** True when the repository at `root` is set up for this agent. */
  detect(root: string): MaybePromise<boolean>
  hookNames: string[]
  /**
   * The event of a hook; null when it does not concern the lifecycle. `raw` is the payload as received, not
   * always JSON.
   */
  parseHook(
    verb: string,
    payload: JsonObject,
    env: Environment,
    raw?: Uint8Array,
  ): MaybePromise<AgentEvent | null>
  /** The directory the session was started in; a payload's cwd follows the agent's `cd`. */
  projectDir(payload: JsonObject, env: Environment): string | undefined
  /** Environment variables that only processes of this agent have; their commits are the agent's. */
  callerEnv: string[]
  /** The one of these variables that holds the session id, if any. */
  callerSessionEnv?: string
  transcript: TranscriptFormat
  sections?: TranscriptSections
  source?: TranscriptFetcher
  cutter?: TranscriptCutter
  analyser?: TranscriptAnalyser
  /** The conversation in a stored transcript, by an agent that is the only one to understand it. */
  readConversation?(transcript: Buffer, session: string): Promise<TranscriptEntry[] | undefined>
  preparer?: TranscriptPreparer
  subagents?: SubagentTranscripts
  /** The agent waits for its subagents, so all of them have ended when the turn ends. */
  tasksEndWithTurn?: boolean
  installer?: HookInstaller
  /**
   * What keeps installed hooks from running, such as a permission that the agent's user has not given yet.
   */
  findObstacle?(root: string, env: Environment): MaybePromise<Obstacle | undefined>
  /** Hooks of another agent that this one runs as well. */
  borrowed?: BorrowedHooks
  /** What a hook prints to show a message to the agent's user. */
  hookResponse?(message: string): MaybePromise<string | Uint8Array>
  resume?: SessionResumer
  generator?: TextGenerator
  watcher?: FileWatcher
}

/** What is known of an agent before it is loaded; a hook loads only the agent it needs. */
export interface AgentCard extends Pick<Agent, 'name' | 'type' | 'callerEnv' | 'callerSessionEnv'> {
  /** Hooks of another agent that this one runs as well. */
  borrows?: Pick<BorrowedHooks, 'from' | 'isSender'>
  /** The name of its program, where its processes set no variable: one that is above a commit is the committer. */
  program?: string
  /** The files that its installer edits: lines in them are no one's work. */
  hookFiles?: string[]
}

/** Tells the user why nothing is recorded, and how to fix it. */
export interface Obstacle {
  message: string
  fix: string
}

/** What a part of a transcript says. */
export interface TranscriptReading {
  /** The number of lines or messages. */
  items: number
  /** Files that tools wrote, as named in the transcript. */
  files: string[]
  /** What the user typed, without text the agent injected. */
  prompts: string[]
  /** For agents that keep what was abandoned: the entry of each prompt, and the one that it follows. */
  asked?: AskedPrompt[]
  /** Commands that the person ran from within the agent: what they changed is not the agent's work. */
  typed?: TypedCommand[]
  /** The last text of the assistant, if any. */
  summary?: string
  tokens: TokenUsage
  model?: string
  /** The id of the last entry. */
  lastId?: string
  /** Subagents that finished in this part, perhaps another task than before. */
  subagents: string[]
  /** What the next reading must know of this one, bounded in size, so that nothing is counted twice. */
  carry?: JsonObject
}

export interface AskedPrompt {
  prompt: string
  entry: string
  follows: string
}

export interface TypedCommand {
  text: string
  /** RFC 3339. */
  from: string
  to: string
}

/** A message or a tool call, for display. */
export interface TranscriptEntry {
  role: 'user' | 'assistant' | 'tool'
  /** For a tool call: its arguments, shortened. */
  text: string
  /** The name of the tool. */
  name?: string
}

export interface TranscriptFormat {
  /** `lines`: JSONL that grows at the end. `document`: one JSON value, rewritten whole. */
  shape(head: string): 'lines' | 'document'
  /** Reads complete lines; skips lines it does not understand. */
  readLines(lines: string[], carry: JsonObject | undefined, metadata?: EventMetadata): TranscriptReading
  /**
   * What a reading from the beginning must know of earlier ones, so that it counts no message again: the
   * transcript was rewound or begun anew. Undefined when it cannot tell messages apart.
   */
  restart?(carry: JsonObject): JsonObject | undefined
  /**
   * For agents that begin a fork with a copy of the conversation it continues: the ids of an entry, which the copy
   * keeps, and when the model answered, if it is an answer.
   */
  identify?(line: string): { ids: string[]; answeredAt?: string } | undefined
  /**
   * Reads a document from the given item on, or what is new according to the carry. Throws when it is not a
   * document.
   */
  readDocument?(text: string, from: number, metadata?: EventMetadata, carry?: JsonObject): TranscriptReading
  /**
   * The conversation from the given line or message on, without injected text. Throws when it is not a
   * transcript.
   */
  readEntries?(text: string, from: number): TranscriptEntry[]
  /**
   * A line in the form to store, without data that only the agent's maker can read. The number of lines never
   * changes.
   */
  strip?(line: string): string
  /** For agents that keep a running total in another file instead of usage in the transcript. */
  totals?: UsageTotals
  /** The id of the entry with the result of a tool call, for rewinding to the end of a task. */
  toolResultId?(lines: string[], toolUse: string): string | undefined
  /** The transcript up to and including the entry with this id. */
  truncateAt?(lines: string[], id: string): string[]
}

export interface UsageTotals {
  /** The file that belongs to this transcript. */
  path(transcript: string): string
  /** Usage since the beginning of the session; undefined when the text has none. */
  parse(text: string): Pick<TranscriptReading, 'tokens' | 'model'> | undefined
}

/**
 * For agents whose transcripts are not simply files: only the agent understands the reference of a session.
 */
export interface TranscriptFetcher {
  /** The reference for a session whose events have none. */
  locate(session: string, place: ProjectContext): Promise<string | undefined>
  /** The transcript, or the file to read instead when it is too large. Throws when it is not available. */
  fetch(reference: string, place: ProjectContext): Promise<{ bytes: Buffer } | { file: string }>
  /** Where the reference is the file that the transcript is read from: while it is unchanged, so is the transcript. */
  isFile?: true
}

/** What an analyser finds that is new to it. */
export type TranscriptAnalysis = Pick<TranscriptReading, 'files' | 'prompts' | 'summary' | 'tokens'> & {
  carry: JsonObject
  /** The tokens may have been counted before. */
  isUncertain: boolean
}

/** For agents that analyse their transcripts themselves. Unknown fields stay empty; it never throws. */
export interface TranscriptAnalyser {
  /** In the analyser's own unit; 0 when there is no transcript yet. */
  position(reference: string): Promise<number>
  /** `carry` is that of the last reading; the first one begins at the position `start`. */
  read(transcript: {
    reference: string
    session: string
    start: number
    carry: JsonObject | undefined
    bytes: Uint8Array
  }): Promise<TranscriptAnalysis>
}

export interface SubagentTranscripts {
  transcriptPath(mainTranscript: string, subagent: string): string
}

/** Where hooks are installed, and where the user's original file is kept until it is restored. */
export interface HookSite {
  root: string
  keepDir: string
}

export interface HookInstaller {
  /** Path of the edited file, relative to the root. */
  configPath: string
  /** Path of a second file, which is for this user alone. */
  ownPath?: string
  /** Returns the number of entries added. Asynchronous, so that the JSON editor is loaded only when used. */
  install(site: HookSite, options: { command: string; force: boolean }): Promise<number>
  uninstall(site: HookSite): Promise<void>
  installed(site: HookSite): Promise<boolean>
  /** True when the installed hooks are up to date. */
  current(site: HookSite, options: { command: string }): Promise<boolean>
}

export interface SessionResumer {
  sessionDir(root: string, env: Environment): MaybePromise<string>
  /**
   * For agents that sort sessions by the directory they were started in: the directories that may hold those
   * started below the root.
   */
  sessionDirsBelow?(root: string, env: Environment): string[]
  /** Whether a file that begins so is the transcript of a subagent. */
  isSubagent?(head: string): boolean
  /**
   * The file of a session, existing or not; `origin` is for agents whose file names contain more than the id.
   */
  sessionFile(dir: string, session: string, origin?: LogOrigin): MaybePromise<string>
  /** The command that continues the session; undefined when unknown. */
  command(session: string): MaybePromise<string | undefined>
  /**
   * For agents without session files: writes the current session to the file, or removes the file when there
   * is none.
   */
  mirror?(session: string, path: string, place: ProjectContext): Promise<void>
  /**
   * Puts a transcript where the agent finds it. False when it cannot, and the file must be written instead.
   */
  deliver?(log: DeliveredLog, env?: Environment): Promise<boolean>
  /** Reserves the directory for the project, where the agent might otherwise give it to another one. */
  claim?(dir: string, root: string): void
}

/** What the recording knows of a session log. */
export interface LogOrigin {
  /** The file name, without its directory. */
  name?: string
  /** RFC 3339. */
  startedAt?: string
  shape?: 'lines' | 'document'
}

/** Answers a prompt without a session, to write summaries. */
export interface TextGenerator {
  /** The command to run; the prompt goes to its standard input. */
  command(options: { model?: string }): string[]
  /** Variables to set; undefined ones are removed. */
  env?: Environment
  /** Where it must run; by default an empty directory, so that its own hooks find nothing to record. */
  dir?: string
  /** The answer in its output. Throws when there is none. */
  parseAnswer(output: string): string
}

/** For an agent that also runs the hooks installed for another one. */
export interface BorrowedHooks {
  /** The name of the agent they were installed for. */
  from: string
  /** The other agent's hook names, mapped to its own. Missing ones are ignored. */
  verbs: Record<string, string>
  /** True when the payload shows that this agent ran the hook. */
  isSender(payload: JsonObject): boolean
}

/** For agents that cut their transcripts into chunks themselves. Undefined when the agent cannot do it. */
export interface TranscriptCutter {
  /** Chunks that `join` turns into the same bytes again. */
  cut(whole: Buffer, maxBytes: number): Promise<Buffer[] | undefined>
  /** For chunks that do not simply join; `isWhole` recognises the original. */
  join(chunks: Buffer[], isWhole: (bytes: Buffer) => boolean): Promise<Buffer | undefined>
}

/** For agents that write their transcript late. */
export interface TranscriptPreparer {
  /**
   * Waits until the transcript is complete or waiting is useless. Returns what to remember for the next time.
   */
  prepare(
    transcript: string,
    event: AgentEvent,
    remembered: () => EventMetadata | undefined,
  ): Promise<EventMetadata | undefined>
}
