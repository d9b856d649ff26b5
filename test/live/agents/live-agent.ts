// Defines what a live test must know of an agent: its package, how it is started without a person, and the
// names of its tools.
import type { Dialect } from '../model/dialect.ts'

export interface Place {
  home: string
  /** Top of the work tree. */
  root: string
  /** Where the scripted model listens. */
  url: string
}

export interface LiveAgent {
  /** Its name in `entire enable --agent`. */
  name: string
  /** As stored in checkpoints. */
  type: string
  package: string
  /** Pinned: results with one version prove nothing about the next. */
  version: string
  /** The program that the package brings. */
  program: string
  /** A script of the package without which the program is not complete. */
  afterInstall?: string
  /** As stored in checkpoints. */
  model: string
  tools: Dialect
  /** Files by absolute path, and variables, without which it would ask for a login or for trust. */
  prepare(place: Place): { files: Record<string, unknown>; env: Record<string, string> }
  /**
   * Arguments that make it work on one prompt and end. `resumed`: those of the command that continues a
   * session.
   */
  args(prompt: string, resumed: string[]): string[]
  /** Turns the arguments that continue a session into those that fork it. Missing: it has no forks. */
  fork?(resumed: string[]): string[]
  /** It can be stopped in the middle of a turn, and its session continued. */
  survivesInterrupt?: boolean
  /** The directory of its sessions, relative to the home directory: another machine does not have it. */
  memory: string[]
  /**
   * False: it switches git's hooks off in its shell, and a commit gets its link as a note when the turn ends.
   */
  runsGitHooks: boolean
  /** True: the end of a subagent is a step of its own. */
  taskSteps: boolean
}
