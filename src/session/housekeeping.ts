// Many small saves leave many small objects. Once in a while, at the end of a turn or session, a process of its own packs them: the
// hook does not wait for it, and git never has to stop the user for it.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gitEnv } from '../git/exec.ts'
import { startDetached } from '../std/proc.ts'
import type { Recorder } from './work.ts'

// Below where `git gc --auto` begins (6,700 loose objects, 50 packs). One directory stands for all 256, as git itself counts.
const looseLimit = 1_700 / 256
const packLimit = 20

export async function keepHouse({ repo, log }: Recorder): Promise<void> {
  const objects = join(repo.commonDir, 'objects')
  const isDue = count(join(objects, '17')) > looseLimit || count(join(objects, 'pack'), '.pack') > packLimit
  if (!isDue) return
  log.write('info', 'packing objects in the background')
  // Small packs grow together, large ones are left alone, and nothing is dropped. https://git-scm.com/docs/git-repack
  const command = 'git repack --geometric=2 -d -q --no-write-bitmap-index && git prune-packed --quiet'
  await startDetached(['sh', '-c', command], { cwd: repo.root, env: gitEnv(repo.env) })
}

function count(dir: string, suffix = ''): number {
  try {
    return readdirSync(dir).filter((name) => name.endsWith(suffix)).length
  } catch {
    return 0
  }
}
