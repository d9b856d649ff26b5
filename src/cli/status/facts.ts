// Reads the facts that status shows as text and as JSON: where checkpoints are pushed, and the open sessions.

import { changedAt } from '../../checkpoints/snapshot.ts'
import { readConfig } from '../../git/config.ts'
import type { Repo } from '../../git/repo.ts'
import { isActive, type Session } from '../../model/session.ts'
import type { Settings } from '../../model/settings.ts'
import { lastSign, listSessionHeads, readState } from '../../sessions/list.ts'
import { readLive } from '../../sessions/live-index.ts'
import { describeCheckpointRemote } from '../../settings/checkpoint-remote.ts'
import { EntireError, messageOf, notFound } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { countOf } from '../../std/plural.ts'
import { findPushTarget } from '../../sync/push.ts'
import { countUnpushed, dependsOnBranch, electRemote, type PushSource } from '../../sync/unpushed.ts'
import { clean } from '../render/text.ts'

type SyncSource = PushSource | 'config' | 'dedicated'

export interface SyncState {
  target?: { remote: string; source: SyncSource }
  /** A promise, because git counts while other files are read. */
  unpushed?: Promise<number | undefined>
  /** Why checkpoints are not pushed although there is a remote. */
  ignored?: string
  error?: string
}

type Worktrees = () => Promise<Map<string, string | undefined>>

export async function readSyncState(
  repo: Repo,
  settings: Settings,
  worktrees: Worktrees,
): Promise<SyncState> {
  if (!settings.pushSessions) return {}
  try {
    return await readTarget(repo, settings, worktrees)
  } catch (error) {
    throwUnlessExpected(error)
    return { error: messageOf(error) }
  }
}

// A failure of git must not hide the facts that are known.
function throwUnlessExpected(error: unknown): undefined {
  if (!(error instanceof EntireError)) throw error
}

async function readTarget(
  repo: Repo,
  { checkpointRemote: wanted }: Settings,
  worktrees: Worktrees,
): Promise<SyncState> {
  const config = await readConfig(repo)
  const elected = electRemote(
    config,
    dependsOnBranch(config) ? (await worktrees()).get(repo.root) : undefined,
  )
  if (elected === undefined && wanted === undefined) return {}
  if (wanted?.kind === 'remote' && !config.remotes.includes(wanted.name))
    return {
      target: { remote: wanted.name, source: 'config' },
      error: notFound('git remote', wanted.name).message,
    }
  const target = await findPushTarget(repo, config, { remote: elected?.remote ?? '', configured: wanted })
  if (typeof target === 'string') return { ignored: target }
  const source = sourceOf(wanted) ?? elected?.source ?? 'first'
  const shown = { remote: wanted === undefined ? target.remote : describeCheckpointRemote(wanted), source }
  return { target: shown, unpushed: countUnpushed(repo, target).catch(throwUnlessExpected) }
}

function sourceOf(wanted: Settings['checkpointRemote']): SyncSource | undefined {
  if (wanted === undefined) return undefined
  return wanted.kind === 'remote' ? 'config' : 'dedicated'
}

const sources: Partial<Record<SyncSource, string>> = {
  config: ' (set by checkpoint_push_remote)',
  dedicated: ' (set by checkpoint_remote)',
  observed: " (follows your branch's push destination)",
}

export async function syncLines(state: SyncState): Promise<{ line: string; isWarning: boolean }[]> {
  const { target, ignored, error } = state
  const unpushed = (await state.unpushed) ?? 0
  const remote = clean(target?.remote ?? '')
  // Checkpoints with a remote of their own are pushed with a push to any remote.
  const followsPush = target?.source !== 'config' && target?.source !== 'dedicated'
  const count = countOf(unpushed, 'checkpoint')
  return [
    ...(target === undefined
      ? []
      : [{ line: `Checkpoints sync to: ${remote}${sources[target.source] ?? ''}`, isWarning: false }]),
    ...(unpushed > 0
      ? [
          {
            line: `${count} not yet on ${remote} — ${unpushed === 1 ? 'it syncs' : 'they sync'} with your next 'git push${followsPush ? ` ${remote}` : ''}'`,
            isWarning: false,
          },
        ]
      : []),
    ...(ignored === undefined
      ? []
      : [{ line: `! checkpoints are not pushed: ${clean(ignored)}`, isWarning: true }]),
    ...(error === undefined
      ? []
      : [{ line: `! checkpoints cannot be synced: ${clean(error)}`, isWarning: true }]),
  ]
}

export async function syncJson(state: SyncState): Promise<JsonObject> {
  const { target, ignored, error } = state
  const unpushed = await state.unpushed
  return {
    ...(target === undefined
      ? {}
      : { checkpoint_sync_remote: target.remote, checkpoint_sync_remote_source: target.source }),
    ...given({ checkpoint_sync_error: error }),
    ...given({ unpushed_checkpoints: unpushed }),
    ...(ignored === undefined
      ? {}
      : { checkpoint_remote_ignored: true, checkpoint_remote_ignored_reason: ignored }),
  }
}

/** The sessions of all work trees that have not ended. */
export interface OpenSessions {
  /** Active sessions first, then by their last sign of life. */
  sessions: Session[]
  /** How many were left out. */
  more: number
  /** The number of all sessions, including ended ones. */
  total: number
  unreadable: string[]
}

/** Reads the whole state only of sessions that are shown. */
export function readOpenSessions(repo: Repo, limit = Number.POSITIVE_INFINITY): OpenSessions {
  const { heads, unreadable } = listSessionHeads(repo)
  const open = heads
    .filter((head) => head.endedAt === undefined)
    .sort((a, b) => Number(isActive(b)) - Number(isActive(a)) || lastSign(b) - lastSign(a))
  const shown = open.slice(0, limit).map(({ id }) => ({ id, session: readState(repo, id) }))
  return {
    sessions: shown.flatMap(({ session }) => session ?? []),
    more: Math.max(0, open.length - limit),
    total: heads.length,
    unreadable: [...unreadable, ...shown.filter(({ session }) => session === undefined).map(({ id }) => id)],
  }
}

/** Files that are on disk, but not in the last step of this work tree. */
export function readLeftOutFiles(repo: Repo): string[] {
  const leftOut = readLive(repo).lastStep?.leftOut ?? []
  return leftOut.filter((path) => changedAt(repo, path) !== undefined)
}
