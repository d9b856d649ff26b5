// Checks whether a repository is set up and recording before a command goes on.

import type { Repo } from '../git/repo.ts'
import { isSetUp, readSettings } from '../settings/read.ts'
import { EntireError } from '../std/errors.ts'
import type { Cli } from './context.ts'

export function requireSetUp(repo: Repo, hint = 'Run `entire enable`.'): void {
  if (!isSetUp(repo.root))
    throw new EntireError('not-found', 'Entire is not set up in this repository.', { hint })
}

/** Tells the person that recording is off. True when it is, and the command should end. */
export function reportIfDisabled(cli: Cli, repo: Repo): boolean {
  if (readSettings(repo.root).enabled) return false
  cli.out('Entire is disabled. Run `entire enable` to re-enable.')
  return true
}
