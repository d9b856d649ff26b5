// Defines the flags of `entire resume` and what one run of it works with: how it prints, asks and fetches.

import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import type { Recorder } from '../../sessions/event-work.ts'
import { fetchStored } from '../../sync/fetch.ts'
import { confirm, type TerminalQuestion } from '../ask.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'

export interface ResumeFlags {
  force?: boolean
  yes?: boolean
  json?: boolean
}

export interface ResumeRun {
  cli: Cli
  repo: Repo
  objects: ObjectReader
  recorder: Recorder
  flags: ResumeFlags
}

/** Prints lines for people; with --json only the answer is printed. */
export function noteLines({ cli, flags }: ResumeRun, ...lines: string[]): void {
  if (!flags.json) for (const line of lines) cli.note(line)
}

/** For questions where a yes loses nothing: --yes and --force answer them. */
export async function isAgreed(
  { cli, flags }: ResumeRun,
  question: Omit<TerminalQuestion, 'noTerminalHint'>,
): Promise<boolean> {
  if (flags.force || flags.yes) return true
  return confirm(cli, { ...question, noTerminalHint: 'Use --yes to continue without being asked.' })
}

/** Fetches a checkpoint that this clone lacks; false when it cannot be fetched. */
export async function fetchMissing(run: ResumeRun, checkpoint: string): Promise<boolean> {
  const say = (line: string) => noteLines(run, clean(line))
  const { recorder, objects, cli } = run
  return fetchStored({ recorder, objects, options: { mayAsk: cli.interactive }, say }, checkpoint)
}
