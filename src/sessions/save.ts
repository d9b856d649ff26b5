// Saves what an event changed, in an order that the next event can repair after a crash at any point.

import { join } from 'node:path'
import { EntireError } from '../std/errors.ts'
import type { StagedFile } from '../std/file.ts'
import type { EventWork } from './event-work.ts'
import type { GitSession } from './git-session.ts'
import { stageLive, updateLive, writeLive } from './live-index.ts'
import { stageSession } from './store.ts'

const attempts = 5

/**
 * One process writes per work tree, which has its own sessions and shadow branches; other refs move by
 * compare-and-swap.
 */
export function lockFile(repo: { gitDir: string }): string {
  return join(repo.gitDir, 'entire.lock')
}

/** Tries again when another process moved a ref between reading and writing. */
export async function retrying(act: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof EntireError && error.code === 'ref-moved') || attempt === attempts) throw error
      await Bun.sleep(attempt * 5)
    }
  }
}

/**
 * Writes refs first, then the state that names them: after a crash the next event does again what is missing.
 */
export async function save(
  work: Pick<EventWork, 'recorder' | 'session' | 'live' | 'commit' | 'afterwards'>,
): Promise<void> {
  const { repo } = work.recorder
  const before = work.live.sessions.get(work.session.id)
  const files = [...new Set([...(before?.files ?? []), ...work.session.filesTouched])]
  const isCovered =
    before?.active === true && before.files.length === files.length && before.base === work.session.baseCommit
  if (!isCovered) {
    work.live.sessions.set(work.session.id, { active: true, files, base: work.session.baseCommit })
    writeLive(repo, work.live)
  }
  work.recorder.trace.mark('work')
  const staged = await commitWith(work, () => [
    stageSession(repo, work.session),
    stageLive(repo, updateLive(work.live, work.session)),
  ])
  work.recorder.trace.mark('write')
  for (const file of staged) file.place()
  for (const act of work.afterwards) await act()
  work.recorder.trace.mark('state')
}

/**
 * Writes state files under temporary names while git imports; the caller renames them once git has succeeded.
 */
export async function commitWith(
  { commit }: Pick<GitSession, 'commit'>,
  stage: () => StagedFile[] | Promise<StagedFile[]>,
): Promise<StagedFile[]> {
  const [written, staged] = await Promise.allSettled([commit(), Promise.try(stage)])
  if (written.status === 'fulfilled' && staged.status === 'fulfilled') return staged.value
  if (staged.status === 'fulfilled') for (const file of staged.value) file[Symbol.dispose]()
  throw written.status === 'rejected' ? written.reason : (staged as PromiseRejectedResult).reason
}
