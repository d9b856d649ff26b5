// The points one can go back to, as they are read, listed, named and found.
import { type RewindPoint, readRewindPoints } from '../../checkpoints/rewind-points.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import type { StrategyName } from '../../model/settings.ts'
import { findSession } from '../../session/store.ts'
import { EntireError } from '../../std/errors.ts'
import type { JsonObject } from '../../std/json.ts'
import { clean } from '../render/text.ts'
import { localTime } from '../render/time.ts'

export function readPoints(repo: Repo, objects: ObjectReader, strategy: StrategyName): Promise<RewindPoint[]> {
  return readRewindPoints(repo, objects, { strategy, findSession: (id) => findSession(repo, id) })
}

export function formatPoint(point: RewindPoint): JsonObject {
  return {
    id: point.id,
    message: clean(point.message),
    metadata_dir: point.metadataDir,
    date: point.date,
    is_task_checkpoint: point.isTask,
    ...(point.toolUse === undefined ? {} : { tool_use_id: point.toolUse }),
    is_logs_only: point.isLogsOnly,
    ...(point.checkpoint === undefined ? {} : { condensation_id: point.checkpoint }),
    ...(point.session === undefined ? {} : { session_id: point.session }),
    ...(point.prompt === undefined ? {} : { session_prompt: clean(point.prompt) }),
  }
}

const listHint = '`entire rewind --list` shows the points.'
const shortest = 7

export function findPoint(points: RewindPoint[], id: string): RewindPoint {
  const exact = points.find((point) => point.id === id)
  const found = exact === undefined && id.length >= shortest ? points.filter((point) => point.id.startsWith(id)) : []
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
