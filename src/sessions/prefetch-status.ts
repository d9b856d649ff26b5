// Git looks at the work tree while the program is still being loaded. What it saw counts when nobody recorded anything before our turn came.

import type { Repo } from '../git/repo.ts'
import { readStatus, type Status } from '../git/status.ts'
import type { EventType } from '../model/event.ts'
import { findStat } from '../std/file.ts'
import { prefetch } from '../std/prefetch.ts'
import { liveFile } from './live-peek.ts'

export interface PrefetchedStatus {
  repo: Repo
  status: Promise<Status>
  /** Every recording writes this file anew. */
  stamp: string
}

/** The events that hardly ever do without it. */
const looking: EventType[] = ['turn-start', 'turn-end']

export function prefetchStatus(repo: Repo, event: { type: EventType }): PrefetchedStatus | undefined {
  if (!looking.includes(event.type)) return undefined
  const recorded = recordingStamp(repo)
  return { repo, status: prefetch(readStatus(repo)), stamp: recorded }
}

/** Asked under the lock. */
export function statusIfStillTrue(
  early: PrefetchedStatus | undefined,
  repo: Repo,
): Promise<Status> | undefined {
  return early?.repo === repo && early.stamp === recordingStamp(repo) ? early.status : undefined
}

/** Changes with every recording. */
export function recordingStamp(repo: Repo): string {
  const stat = findStat(liveFile(repo))
  return stat === undefined ? '' : `${stat.ino} ${stat.ctimeMs} ${stat.size}`
}
