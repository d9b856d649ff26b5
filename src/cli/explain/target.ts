// Explains one checkpoint, one step, or the checkpoints of one commit.

import { readCheckpoint, readTranscript, type StoredCheckpoint } from '../../checkpoints/read.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import type { LogEntry } from '../../git/log.ts'
import type { Repo } from '../../git/repo.ts'
import { EntireError, notFound } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { formatJson, type Json } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { page } from '../pager.ts'
import { learnTimeZone } from '../render/numbers.ts'
import { clean } from '../render/text.ts'
import { write } from '../streams.ts'
import {
  checkpointJson,
  checkpointLines,
  type DetailShape,
  readCheckpointDetail,
  readHistory,
} from './checkpoint.ts'
import { joinerOf, lookOf } from './conversation.ts'
import { type ExplainTarget, findAnything, findByPrefix, findCommit, readOrFetch } from './find-target.ts'
import type { ExplainRun } from './flags.ts'
import { type ExplainFlags, scopeOf } from './flags.ts'
import { readStepDetail, readStepSession, stepJson, stepLines } from './step.ts'

interface TargetRun extends ExplainRun {
  shape: DetailShape
}

export async function explainTarget(explainRun: ExplainRun, named: string | undefined): Promise<void> {
  const { cli, repo, objects, flags } = explainRun
  const run: TargetRun = { ...explainRun, shape: { ...lookOf(cli), scope: scopeOf(flags) } }
  objects.start()
  const history = readHistory(repo, flags.searchAll === true)
  const finding = findTarget(run, named)
  learnTimeZone()
  const target = await finding
  if (target.kind === 'step') return await explainStep(run, target.step)
  if (target.kind === 'commit') return await explainCommit(run, target, history)
  if (flags.rawTranscript) return await printStoredTranscript(repo, objects, target)
  await explainCheckpoints(run, [await withSummary(run, target.checkpoint)], history)
}

async function findTarget(
  { flags, ...search }: TargetRun,
  named: string | undefined,
): Promise<ExplainTarget> {
  if (flags.commit !== undefined) return await findCommit(search, flags.commit)
  if (flags.checkpoint !== undefined) return await findByPrefix(search, flags.checkpoint)
  return await findAnything(search, named ?? '')
}

async function explainStep({ cli, repo, objects, flags, shape }: TargetRun, step: LogEntry): Promise<void> {
  if (flags.generate)
    throw new EntireError(
      'bad-usage',
      `${step.oid.slice(0, 7)} is a step: only checkpoints have summaries.`,
      {
        hint: 'Commit the work first, then generate the summary of its checkpoint.',
      },
    )
  if (flags.rawTranscript) return await printStoredTranscript(repo, objects, { kind: 'step', step })
  const detail = await readStepDetail(repo, objects, step, shape.scope)
  await show(cli, flags, flags.json ? stepJson(detail, shape.scope) : stepLines(detail, shape))
}

async function explainCommit(
  run: TargetRun,
  target: Extract<ExplainTarget, { kind: 'commit' }>,
  history: Promise<LogEntry[]>,
): Promise<void> {
  const { cli, repo, objects, flags } = run
  const { commit, ids, unasked = [] } = target
  const { stored, missing, hint } = await readOrFetch(run, ids)
  const newest = stored.sort((a, b) => createdAt(b) - createdAt(a))
  if (missing.length > 0 && newest.length === 0)
    throw notFound('checkpoint', `${missing.join(', ')} (of commit ${commit.oid.slice(0, 7)})`, hint)
  for (const id of missing) cli.note(`Checkpoint ${id} of this commit cannot be read.`)
  for (const remote of unasked) cli.note(`A link to this commit may be at ${clean(remote)}.`)
  const [first] = newest
  if (first === undefined) return await show(cli, flags, flags.json ? [] : unlinkedLines(commit))
  if (flags.rawTranscript)
    return await printStoredTranscript(repo, objects, { kind: 'checkpoint', checkpoint: first })
  await explainCheckpoints(run, [await withSummary(run, first), ...newest.slice(1)], history, commit)
}

function unlinkedLines(commit: LogEntry): string[] {
  return [
    'No associated Entire checkpoint',
    '',
    `Commit ${commit.oid.slice(0, 7)} does not have an Entire-Checkpoint trailer.`,
    'This commit was not created during an Entire session, or the trailer was removed.',
  ]
}

async function withSummary(run: TargetRun, checkpoint: StoredCheckpoint): Promise<StoredCheckpoint> {
  const { cli, objects, flags } = run
  if (!flags.generate) return checkpoint
  const { generateSummary } = await import('./generate.ts')
  await generateSummary(run, checkpoint)
  const say = flags.json ? cli.note : cli.out
  say('✓ Summary generated and saved')
  if (!flags.json) cli.out()
  return (await readCheckpoint(objects, checkpoint.checkpoint)) ?? checkpoint
}

async function explainCheckpoints(
  { cli, repo, objects, flags, shape }: TargetRun,
  checkpoints: StoredCheckpoint[],
  history: Promise<LogEntry[]>,
  commit?: LogEntry,
): Promise<void> {
  const options = { scope: shape.scope, history, ...given({ commit }) }
  const details = await Promise.all(
    checkpoints.map((checkpoint) => readCheckpointDetail(repo, objects, checkpoint, options)),
  )
  // A commit may have several checkpoints, so its JSON is a list.
  const json = details.map((detail) => checkpointJson(detail, shape.scope))
  if (flags.json) return await show(cli, flags, commit === undefined ? (json[0] ?? null) : json)
  await show(
    cli,
    flags,
    details.flatMap((detail, index) => [...(index > 0 ? [''] : []), ...checkpointLines(detail, shape)]),
  )
}

async function show(cli: Cli, flags: ExplainFlags, answer: string[] | Json): Promise<void> {
  if (flags.json) cli.process.stdout.write(formatJson(answer))
  else await page(cli, `${(answer as string[]).join('\n')}\n`, { off: flags.noPager === true })
}

function createdAt(checkpoint: StoredCheckpoint): number {
  return Date.parse(checkpoint.sessions.at(-1)?.createdAt ?? '') || 0
}

/** Unchanged: bytes, not text. */
async function printStoredTranscript(
  repo: Repo,
  objects: ObjectReader,
  target: Exclude<ExplainTarget, { kind: 'commit' }>,
): Promise<void> {
  const session =
    target.kind === 'step'
      ? await readStepSession(repo, objects, target.step)
      : target.checkpoint.sessions.at(-1)
  const transcript = session && (await readTranscript(objects, session, await joinerOf(session)))
  const name = target.kind === 'step' ? target.step.oid.slice(0, 7) : target.checkpoint.checkpoint
  if (transcript === undefined)
    throw new EntireError(
      'transcript-missing',
      `${target.kind === 'step' ? 'Step' : 'Checkpoint'} ${name} has no transcript.`,
      {
        hint: 'The agent had not written one when it was saved; prompts and files are shown without --raw-transcript.',
      },
    )
  write(1, transcript)
}
