// Checks whether a repository is set up and recording before a command goes on.

import type { Repo } from '../git/repo.ts'
import type { Settings } from '../model/settings.ts'
import { isSetUp, readUsableSettings } from '../settings/read.ts'
import { EntireError, messageWithHint } from '../std/errors.ts'
import type { Cli } from './context.ts'
import { clean } from './render/text.ts'

export function requireSetUp(repo: Repo, hint = 'Run `entire enable`.'): void {
  if (!isSetUp(repo.root))
    throw new EntireError('not-found', 'Entire is not set up in this repository.', { hint })
}

/** Tells the person that recording is off. True when it is, and the command should end. */
export function reportIfDisabled(cli: Cli, repo: Repo): boolean {
  if (settingsFor(cli, repo).enabled) return false
  cli.out('Entire is disabled. Run `entire enable` to re-enable.')
  return true
}

const warned = new WeakSet<Cli>()

/** The settings that hooks use as well. What is invalid is named once; a command that only reads goes on. */
export function settingsFor(cli: Cli, repo: Repo): Settings {
  const { settings, problem } = readUsableSettings(repo.root)
  if (problem !== undefined && !warned.has(cli)) {
    warned.add(cli)
    cli.note(
      `Warning: ${clean(messageWithHint(problem))} Until then the default is used, and no checkpoint is pushed.`,
    )
  }
  return settings
}
