// Git looks at the work tree while the program is still being loaded. What it saw counts when nobody recorded anything before our turn came.

import type { Repo } from '../git/repo.ts'
import { readStatus, type Status } from '../git/status.ts'
import type { EventType } from '../model/event.ts'
import { findStat } from '../std/file.ts'
import { prefetch } from '../std/prefetch.ts'
import { liveFile } from './live-peek.ts'

export interface EarlyStatus {
  repo: Repo
  status: Promise<Status>
  /** Every recording writes this file anew. */
  recorded: string
}

/** The events that hardly ever do without it. */
const looking: EventType[] = ['turn-start', 'turn-end']

export function askEarly(repo: Repo, event: { type: EventType }): EarlyStatus | undefined {
  if (!looking.includes(event.type)) return undefined
  const recorded = recordedAt(repo)
  return { repo, status: prefetch(readStatus(repo)), recorded }
}

/** Asked under the lock. */
export function ifStillTrue(early: EarlyStatus | undefined, repo: Repo): Promise<Status> | undefined {
  return early?.repo === repo && early.recorded === recordedAt(repo) ? early.status : undefined
}

/** Changes with every recording. */
export function recordedAt(repo: Repo): string {
  const stat = findStat(liveFile(repo))
  return stat === undefined ? '' : `${stat.ino} ${stat.ctimeMs} ${stat.size}`
}
