// Defines the flags of `entire explain` and what one run of it works with; checks that the flags fit
// together.

import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import { cannotCombine, requires } from '../../std/errors.ts'
import type { Cli } from '../context.ts'
import type { Fetching } from '../fetching.ts'
import type { DetailShape } from './checkpoint.ts'

export interface ExplainFlags {
  session?: string
  commit?: string
  checkpoint?: string
  short?: boolean
  full?: boolean
  rawTranscript?: boolean
  generate?: boolean
  force?: boolean
  searchAll?: boolean
  json?: boolean
  noPager?: boolean
}

const exclusive: [key: keyof ExplainFlags, name: string][][] = [
  [
    ['session', '--session'],
    ['commit', '--commit'],
    ['checkpoint', '--checkpoint'],
  ],
  [
    ['short', '--short'],
    ['full', '--full'],
    ['rawTranscript', '--raw-transcript'],
  ],
  [
    ['generate', '--generate'],
    ['rawTranscript', '--raw-transcript'],
  ],
  [
    ['json', '--json'],
    ['rawTranscript', '--raw-transcript'],
  ],
]

export function checkFlags(flags: ExplainFlags, named: string | undefined): void {
  for (const group of exclusive) {
    const typed = typedOf(group, flags)
    if (typed.length > 1) throw cannotCombine(typed)
  }
  const targets = typedOf(exclusive[0] ?? [], flags)
  if (named !== undefined && targets.length > 0) throw cannotCombine(['an id', ...targets])
  const hasCheckpoint = flags.checkpoint !== undefined || named !== undefined
  if (flags.generate && !hasCheckpoint) throw requires('--generate', '--checkpoint')
  if (flags.rawTranscript && !hasCheckpoint) throw requires('--raw-transcript', '--checkpoint')
  if (flags.force && !flags.generate) throw requires('--force', '--generate')
}

function typedOf(group: (typeof exclusive)[number], flags: ExplainFlags): string[] {
  return group.flatMap(([key, name]) => (flags[key] === undefined || flags[key] === false ? [] : name))
}

export function scopeOf({ short, full }: ExplainFlags): DetailShape['scope'] {
  return short ? 'none' : full ? 'full' : 'checkpoint'
}

export interface ExplainRun {
  cli: Cli
  repo: Repo
  objects: ObjectReader
  fetching: Fetching
  flags: ExplainFlags
}
