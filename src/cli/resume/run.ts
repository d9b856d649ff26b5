// What every way of resuming shares: the command being run, what it may do unasked, and how it tells.
import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import { fetchStored } from '../../session/resume-fetch.ts'
import type { Recorder } from '../../session/work.ts'
import { formatJson } from '../../std/json.ts'
import { confirm, type Question } from '../ask.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'

export interface ResumeFlags {
  force?: boolean
  yes?: boolean
  json?: boolean
}

export interface Run {
  cli: Cli
  repo: Repo
  objects: ObjectReader
  recorder: Recorder
  flags: ResumeFlags
}

/** A line for people; programs get the answer instead. */
export function tell({ cli, flags }: Run, ...lines: string[]): void {
  if (!flags.json) for (const line of lines) cli.note(line)
}

export function answer({ cli, flags }: Run, value: unknown): void {
  if (flags.json) cli.process.stdout.write(formatJson(value))
}

/** A question whose yes loses nothing: --yes says it, and so does --force. */
export async function agreed({ cli, flags }: Run, question: Omit<Question, 'otherwise'>): Promise<boolean> {
  if (flags.force || flags.yes) return true
  return confirm(cli, { ...question, otherwise: 'Say --yes to go on without being asked.' })
}

/** Session data that this clone lacks: true when it is here now. */
export async function fetchMissing(run: Run, checkpoint: string): Promise<boolean> {
  const say = (line: string) => tell(run, clean(line))
  return fetchStored(run.recorder, run.objects, checkpoint, { mayAsk: run.cli.interactive, say })
}
