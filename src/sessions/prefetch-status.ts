// Starts `git status` while the program is still being loaded. Its answer counts when no other process has
// recorded anything before this one held the lock.

import type { Repo } from '../git/repo.ts'
import { readStatus, type Status } from '../git/status.ts'
import type { EventType } from '../model/event.ts'
import { findStat } from '../std/file.ts'
import { prefetch } from '../std/prefetch.ts'
import { liveFile } from './live-peek.ts'

export interface PrefetchedStatus {
  repo: Repo
  status: Promise<Status>
  /** The recording that the answer belongs to. */
  stamp: string
}

/** The events that nearly always need it. */
const looking: EventType[] = ['turn-start', 'turn-end']

export function prefetchStatus(repo: Repo, event: { type: EventType }): PrefetchedStatus | undefined {
  if (!looking.includes(event.type)) return undefined
  const recorded = recordingStamp(repo)
  return { repo, status: prefetch(readStatus(repo)), stamp: recorded }
}

/** The caller holds the lock. */
export function statusIfStillTrue(
  early: PrefetchedStatus | undefined,
  repo: Repo,
): Promise<Status> | undefined {
  return early?.repo === repo && early.stamp === recordingStamp(repo) ? early.status : undefined
}

/** Identifies the last recording: each one replaces the index of live sessions. */
export function recordingStamp(repo: Repo): string {
  const stat = findStat(liveFile(repo))
  return stat === undefined ? '' : `${stat.ino} ${stat.ctimeMs} ${stat.size}`
}
