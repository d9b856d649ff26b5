// Keeps the repository small: drops refs that were kept long enough, and merges the small packs that saves
// leave.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gitEnv } from '../git/env.ts'
import { mergePacksCommand } from '../git/merge-packs.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { expireKeptRefsIfDue } from '../sessions/kept-refs.ts'
import { messageOf } from '../std/errors.ts'
import { startDetached } from '../std/proc.ts'

export async function tidyUp(recorder: Recorder): Promise<void> {
  // Another process may do the same at the same time, and the turn is recorded in any case.
  await expireKeptRefsIfDue(recorder).catch((error: unknown) =>
    recorder.log.write('warn', 'old trash stays for now', { error: messageOf(error) }),
  )
  await mergePacksIfDue(recorder)
}

// Below the limit of `git gc --auto`, which is 50: git never makes the user wait for these packs.
const packLimit = 20

// The merge runs in a process of its own: the hook does not wait for it.
async function mergePacksIfDue({ repo, log }: Recorder): Promise<void> {
  if (countPacks(join(repo.commonDir, 'objects', 'pack')) <= packLimit) return
  log.write('info', 'merging packs in the background')
  await startDetached(mergePacksCommand(repo), { cwd: repo.root, env: gitEnv(repo.env) })
}

function countPacks(dir: string): number {
  try {
    return readdirSync(dir).filter((name) => name.endsWith('.pack')).length
  } catch {
    return 0
  }
}
