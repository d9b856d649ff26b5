// One commit on its way to a checkpoint.
import type { CommitInfo } from '../git/commit.ts'
import type { Caller } from './caller.ts'
import type { GitSide, Recorder } from './work.ts'

export interface Condensing {
  recorder: Recorder
  git: GitSide
  commit: CommitInfo
  checkpoint: string
  caller: Caller
  /** Run after refs and states are written. */
  afterwards: (() => void | Promise<void>)[]
  /** The commit had this checkpoint before: it was amended. */
  amends?: boolean
  /** Set when the commit is that of a subagent's task. */
  task?: { toolUse: string; files: { path: string; content: Buffer }[] }
}
