// Many small saves leave many small packs. Once in a while, at the end of a turn or session, a process of its own merges them: the
// hook does not wait for it, and git never has to stop the user for it. What was kept long enough goes.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gitEnv } from '../git/git-env.ts'
import { mergePacksCommand } from '../git/merge-packs.ts'
import { messageOf } from '../std/errors.ts'
import { startDetached } from '../std/proc.ts'
import { expireIfDue } from './kept.ts'
import type { Recorder } from './work.ts'

// Below where `git gc --auto` begins, at 50.
const packLimit = 20

export async function keepHouse(recorder: Recorder): Promise<void> {
  const { repo, log } = recorder
  // Another process may do the same at the same time; the turn is recorded, whatever becomes of this.
  await expireIfDue(recorder).catch((error: unknown) => log.write('warn', 'old trash stays for now', { error: messageOf(error) }))
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
