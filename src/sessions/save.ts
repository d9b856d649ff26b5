// Writing what an event changed, in an order that a crash at any point leaves repairable.

import { join } from 'node:path'
import { EntireError } from '../std/errors.ts'
import type { StagedFile } from '../std/file.ts'
import type { EventWork } from './event-work.ts'
import type { GitSession } from './git-session.ts'
import { stageLive, updateLive, writeLive } from './live-index.ts'
import { stageSession } from './store.ts'

const attempts = 5

/** One writer per work tree: its shadow branches and sessions are its own, everything else moves by compare-and-swap. */
export function lockFile(repo: { gitDir: string }): string {
  return join(repo.gitDir, 'entire.lock')
}

/** Another process moved a ref between our reading and our writing: read again. */
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

/** Refs first, then the state that speaks of them: whatever is missing after a crash is done again by the next event. */
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

/** States are on their way to the disk while git writes; the caller puts them in their places, now that git is done. */
export async function commitWith(
  { commit }: Pick<GitSession, 'commit'>,
  stage: () => StagedFile[] | Promise<StagedFile[]>,
): Promise<StagedFile[]> {
  const [written, staged] = await Promise.allSettled([commit(), Promise.try(stage)])
  if (written.status === 'fulfilled' && staged.status === 'fulfilled') return staged.value
  if (staged.status === 'fulfilled') for (const file of staged.value) file[Symbol.dispose]()
  throw written.status === 'rejected' ? written.reason : (staged as PromiseRejectedResult).reason
}
