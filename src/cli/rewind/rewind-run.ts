// Defines what one run of `entire rewind` works with.

import type { ObjectReader } from '../../git/cat-file.ts'
import type { RewindOptions } from '../../rewind/locked-worktree.ts'
import type { RewindPoint } from '../../rewind/points.ts'
import type { Recorder } from '../../sessions/event-work.ts'
import type { Cli } from '../context.ts'

export interface RewindRun {
  cli: Cli
  recorder: Recorder
  objects: ObjectReader
  point: RewindPoint
  options: RewindCommandOptions
}

export interface RewindCommandOptions extends RewindOptions {
  json: boolean
  /** Reset without asking. */
  force: boolean
}
