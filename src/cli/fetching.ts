// Fetches what a command was asked for and this clone lacks, and says on standard error what it waits for.

import { readPending } from '../commits/pending.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Repo } from '../git/repo.ts'
import type { FetchOutcome, FetchRun } from '../sync/fetch.ts'
import type { Cli } from './context.ts'
import { settingsFor } from './preconditions.ts'
import { clean } from './render/text.ts'

export interface Fetching {
  /** Fetches the checkpoints that cannot be read here, and the links by note along with them. */
  checkpoints(ids: string[]): Promise<FetchOutcome>
  /** Fetches links by note. Returns the remotes that could not be asked, and why. */
  links(): Promise<string[]>
}

export function fetchingFor(cli: Cli, repo: Repo, objects: ObjectReader): Fetching {
  const run = (): FetchRun => ({
    recorder: { repo, settings: settingsFor(cli, repo), clock: cli.clock },
    objects,
    options: { mayAsk: cli.interactive },
    say: (line) => cli.note(clean(line)),
  })
  return {
    // Most commands find everything here.
    checkpoints: async (ids) => await (await import('../sync/fetch.ts')).fetchMissing(run(), ids),
    links: async () => await (await import('../sync/fetch.ts')).fetchLinks(run()),
  }
}

/** What to do about checkpoints that were not found, as a hint. */
export function absentHint(
  repo: Repo,
  { failures, missing }: Pick<FetchOutcome, 'failures' | 'missing'>,
): string {
  if (readPending(repo).some(({ checkpoint }) => missing.includes(checkpoint)))
    return 'Its commit was made here and is not recorded yet. The next turn records it; `entire doctor --force` does it now.'
  return failures.length === 0
    ? 'No remote of this clone has it. Whoever made it may not have pushed it yet; `entire doctor` finds all such commits.'
    : `It may be at ${failures.map(clean).join(' and ')}. Try again when that can be reached.`
}
