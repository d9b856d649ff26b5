// Many small saves leave many small objects. Once in a while, at the end of a turn or session, a process of its own packs them: the
// hook does not wait for it, and git never has to stop the user for it.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gitEnv } from '../git/exec.ts'
import { startDetached } from '../std/proc.ts'
import type { Recorder } from './work.ts'

// A quarter of where `git gc --auto` begins; one directory stands for all 256, as git itself counts.
const looseLimit = 1_700 / 256
const packLimit = 20

export function keepHouse({ repo, log }: Recorder): void {
  const objects = join(repo.commonDir, 'objects')
  const tasks = [
    ...(count(join(objects, '17')) > looseLimit ? ['loose-objects'] : []),
    ...(count(join(objects, 'pack')) > packLimit * 2 ? ['incremental-repack'] : []),
  ]
  if (tasks.length === 0) return
  log.write('info', 'packing objects in the background', { tasks: tasks.join(' ') })
  // The task packs loose objects but leaves them to its next run. https://git-scm.com/docs/git-maintenance
  const command = `git maintenance run --quiet ${tasks.map((task) => `--task=${task}`).join(' ')}; git prune-packed --quiet`
  startDetached(['sh', '-c', command], { cwd: repo.root, env: gitEnv(repo.env) })
}

function count(dir: string): number {
  try {
    return readdirSync(dir).length
  } catch {
    return 0
  }
}
