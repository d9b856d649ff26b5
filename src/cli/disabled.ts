// Commands about recordings say so when recording is off.

import type { Repo } from '../git/repo.ts'
import { readSettings } from '../settings/read.ts'
import type { Cli } from './context.ts'

export function saysDisabled(cli: Cli, repo: Repo): boolean {
  if (readSettings(repo.root).enabled) return false
  cli.out('Entire is disabled. Run `entire enable` to re-enable.')
  return true
}
