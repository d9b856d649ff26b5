// Where the index of live sessions is: asked before anything that reads it is loaded.
import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'

export function liveFile(repo: Repo): string {
  return join(repo.gitDir, 'entire-live.json')
}
