// The points one can go back to, as they are read, listed, named and found.

import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import type { StrategyName } from '../../model/settings.ts'
import { isEmptyPlan, type RewindPlan, type SkippedPath, type SkipReason } from '../../rewind/plan.ts'
import { type RewindPoint, readRewindPoints } from '../../rewind/points.ts'
import { findSessionState } from '../../sessions/store.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { localTime } from '../render/numbers.ts'
import { clean } from '../render/text.ts'

export function readPoints(
  repo: Repo,
  objects: ObjectReader,
  strategy: StrategyName,
): Promise<RewindPoint[]> {
  return readRewindPoints(repo, objects, { strategy, findSession: (id) => findSessionState(repo, id) })
}

export function formatPoint(point: RewindPoint): JsonObject {
  return {
    id: point.id,
    message: clean(point.message),
    metadata_dir: point.metadataDir,
    date: point.date,
    is_task_checkpoint: point.isTask,
    ...given({ tool_use_id: point.toolUse }),
    is_logs_only: point.isLogsOnly,
    ...given({ condensation_id: point.checkpoint }),
    ...given({ session_id: point.session }),
    ...(point.prompt === undefined ? {} : { session_prompt: clean(point.prompt) }),
  }
}

const listHint = '`entire rewind --list` shows the points.'
const shortest = 7

export function findPoint(points: RewindPoint[], id: string): RewindPoint {
  const exact = points.find((point) => point.id === id)
  const found =
    exact === undefined && id.length >= shortest ? points.filter((point) => point.id.startsWith(id)) : []
  if (found.length > 1)
    throw new EntireError(
      'bad-usage',
      `${clean(id)} could be any of these: ${found.map((point) => longerThan(point.id, id)).join(', ')}.`,
      {
        hint: 'Give more digits.',
      },
    )
  const point = exact ?? found[0]
  if (point !== undefined) return point
  throw new EntireError('not-found', `rewind point not found: ${clean(id)}`, {
    hint: id.length < shortest ? `Give at least ${shortest} digits. ${listHint}` : listHint,
  })
}

function longerThan(id: string, prefix: string): string {
  return id.slice(0, Math.max(12, prefix.length + 4))
}

export function shortId(id: string): string {
  return id.slice(0, shortest)
}

/** One line for a menu: commits by their id, steps below them. */
export function labelPoint(point: RewindPoint, points: RewindPoint[]): string {
  const isAlone = new Set(points.map(({ session }) => session)).size < 2
  const prompt = isAlone || point.prompt === undefined ? '' : ` [${clean(point.prompt)}]`
  const name = point.checkpoint === undefined ? '       ' : shortId(point.id)
  const time = localTime(point.date).slice(0, 'YYYY-MM-DD HH:MM'.length)
  return `${name} (${time}) ${point.isTask ? '[Task] ' : ''}${clean(point.message)}${prompt}`
}

// What a rewind would do or has done to files, in words.

const reasons: Record<SkipReason, string> = {
  'not-made-by-a-session': 'no session made it',
  'of-an-agent': "in an agent's own directory",
  'something-in-the-way': 'something else is in its place',
  'no-copy-possible': 'too large or unreadable to keep a copy of',
}

const shown = 50

/** The answer of a dry run. */
export function planLines(plan: RewindPlan): string[] {
  const lines = [
    ...plan.restore.map((path) => `  Restore: ${clean(path)}`),
    ...plan.remove.map((path) => `  Delete: ${clean(path)}`),
    ...shortened(plan.skip),
  ]
  return isEmptyPlan(plan) ? [...lines, 'Nothing differs: no file would change.'] : lines
}

/** Beside the answer: what happened to which file. */
export function noteFiles(cli: Cli, plan: RewindPlan): void {
  for (const path of plan.remove) cli.note(`  Deleted: ${clean(path)}`)
  for (const path of plan.restore) cli.note(`  Restored: ${clean(path)}`)
  for (const line of shortened(plan.skip.filter(({ reason }) => reason !== 'not-made-by-a-session')))
    cli.note(line)
}

/** Before the question. */
export function notePreview(cli: Cli, plan: RewindPlan): void {
  for (const path of plan.restore) cli.note(`  ${clean(path)}`)
  for (const line of shortened(plan.skip)) cli.note(line)
  if (plan.remove.length === 0) return
  cli.note('\nWarning: The following files will be DELETED:')
  for (const path of plan.remove) cli.note(`  - ${clean(path)}`)
}

function shortened(keep: SkippedPath[]): string[] {
  const lines = keep.slice(0, shown).map(({ path, reason }) => `  Keep: ${clean(path)} (${reasons[reason]})`)
  return keep.length > shown ? [...lines, `  Keep: ${keep.length - shown} more`] : lines
}
