// Defines how session files of agents are found, watched and delivered.
import type { Environment } from '../std/environment.ts'
import type { JsonObject } from '../std/json.ts'

/** For agents that keep all sessions in one file. A rewind leaves such a file alone. */
export interface TranscriptSections {
  /** The session's part of the file; undefined when the file does not contain it. */
  find(path: string, session: string): FilePart | undefined
}

/** Bytes of a file, up to but not including `to`. */
export interface FilePart {
  from: number
  to: number
}

/**
 * For agents that report what they do only through the files they write. Not needed for agents with a session
 * directory.
 */
export interface FileWatcher {
  /** The directories in which the files appear, existing or not. */
  dirs(place: ProjectContext): string[] | Promise<string[]>
  /** The files that may contain sessions of the project now. Called repeatedly. */
  list(place: ProjectContext): string[] | Promise<string[]>
  /** A reader for one of them; undefined while it contains no session of the project. */
  open(path: string, place: ProjectContext): SignReader | undefined | Promise<SignReader | undefined>
}

/**
 * Reads complete lines. `carry` is what it returned for the lines before; undefined at the beginning of a
 * file.
 */
export type SignReader = (
  lines: string[],
  carry: JsonObject | undefined,
) => { signs: Sign[]; carry?: JsonObject }

/** What a line shows about the lifecycle of a session. */
export type Sign = { line: number } & (
  | SessionSign
  /** A turn begins, by the agent itself when there is no prompt. `at` is RFC 3339. */
  | { type: 'prompt'; prompt?: string; at?: string }
  /** The turn continues. */
  | { type: 'work' }
  /** The agent has answered: if nothing follows, the turn is over. */
  | { type: 'answer' }
  /** The agent made a commit. */
  | { type: 'commit'; commit: string }
)

export interface SessionSign {
  type: 'session'
  session: string
  /** Sorts the sessions of a file. */
  order?: string
}

/** The project an agent is asked about. */
export interface ProjectContext {
  root: string
  env: Environment
}

/** A session log to deliver to its agent. */
export interface DeliveredLog {
  session: string
  path: string
  /** The work tree in which the session continues. */
  root: string
  /** RFC 3339. */
  startedAt: string
  bytes: Buffer
}
