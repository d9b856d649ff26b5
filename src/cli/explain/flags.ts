// Which flags go together, and what to say when they do not.

import { EntireError } from '../../std/errors.ts'
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
    if (group.filter(([key]) => flags[key] !== undefined && flags[key] !== false).length > 1)
      throw new EntireError(
        'bad-usage',
        `cannot specify multiple of ${group.map(([, name]) => name).join(', ')}`,
      )
  }
  const target = flags.session ?? flags.commit ?? flags.checkpoint
  if (named !== undefined && target !== undefined)
    throw new EntireError('bad-usage', 'cannot specify multiple of an id, --session, --commit, --checkpoint')
  const hasCheckpoint = flags.checkpoint !== undefined || named !== undefined
  if (flags.generate && !hasCheckpoint)
    throw new EntireError('bad-usage', '--generate requires --checkpoint/-c flag')
  if (flags.rawTranscript && !hasCheckpoint)
    throw new EntireError('bad-usage', '--raw-transcript requires --checkpoint/-c flag')
  if (flags.force && !flags.generate) throw new EntireError('bad-usage', '--force requires --generate flag')
}

export function scopeOf({ short, full }: ExplainFlags): DetailShape['scope'] {
  return short ? 'none' : full ? 'full' : 'checkpoint'
}
