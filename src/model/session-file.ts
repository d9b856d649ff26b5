// Files in which agents write down what they do, and what can be told from them while they grow.
import type { JsonObject } from '../std/json.ts'

/** For agents that keep all sessions in one file. A rewind leaves such a file alone. */
export interface TranscriptSections {
  /** The part of the file that is the session's; undefined when it is not in there. */
  find(path: string, session: string): FilePart | undefined
}

/** Bytes of a file, up to but not including `to`. */
export interface FilePart {
  from: number
  to: number
}

/** For agents that tell what they do only by the files they write. Agents with a directory of sessions need none. */
export interface FileWatcher {
  /** Directories in which the files appear, there already or to be. */
  dirs(place: ProjectContext): string[] | Promise<string[]>
  /** The files that may hold sessions of the project now. Asked again and again. */
  list(place: ProjectContext): string[] | Promise<string[]>
  /** How to read one of them; undefined while nothing in it is a session of the project. */
  open(path: string, place: ProjectContext): SignReader | undefined | Promise<SignReader | undefined>
}

/** Reads complete lines. `carry`: what it gave for the lines before them; there is none at the beginning of a file. */
export type SignReader = (
  lines: string[],
  carry: JsonObject | undefined,
) => { signs: Sign[]; carry?: JsonObject }

/** What a line tells about the life of a session. */
export type Sign = { line: number } & (
  | SessionSign
  /** A turn begins. Without words, it is the agent that began it. `at`: RFC 3339. */
  | { type: 'prompt'; prompt?: string; at?: string }
  /** The turn goes on. */
  | { type: 'work' }
  /** The agent has answered: when it falls silent now, the turn is over. */
  | { type: 'answer' }
  /** The agent committed by itself. */
  | { type: 'commit'; commit: string }
)

export interface SessionSign {
  type: 'session'
  session: string
  /** Sorts as the sessions of a file follow each other. */
  order?: string
}

/** The project an agent is asked about. */
export interface ProjectContext {
  root: string
  env: Record<string, string | undefined>
}

/** A session on its way back to its agent. */
export interface DeliveredLog {
  session: string
  path: string
  /** The work tree in which the session is to go on. */
  root: string
  /** RFC 3339. */
  startedAt: string
  bytes: Buffer
}
