// Defines what one run of `entire explain` works with.

import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import type { Cli } from '../context.ts'
import type { ExplainFlags } from './flags.ts'

export interface ExplainRun {
  cli: Cli
  repo: Repo
  objects: ObjectReader
  flags: ExplainFlags
}
