// Reads, lists, finds and labels the points that `entire rewind` can go back to.

import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import type { StrategyName } from '../../model/settings.ts'
import { type RewindPoint, readRewindPoints } from '../../rewind/points.ts'
import { findSessionState } from '../../sessions/store.ts'
import { ambiguousPrefix, notFound } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { localTime } from '../render/numbers.ts'
import { clean } from '../render/text.ts'

export function readPoints(
  repo: Repo,
  objects: ObjectReader,
  strategy: StrategyName,
): Promise<RewindPoint[]> {
  return readRewindPoints(repo, objects, { strategy, findSession: (id) => findSessionState(repo, id) })
}

/** The step of a turn: not of a subagent, nor the state before a turn. */
export function isTurn({ checkpoint, isTask, isBeforeTurn }: RewindPoint): boolean {
  return checkpoint === undefined && !isTask && isBeforeTurn !== true
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
    ...given({ is_before_turn: point.isBeforeTurn }),
    ...given({ condensation_id: point.checkpoint }),
    ...given({ session_id: point.session }),
    ...given({ session_prompt: point.prompt && clean(point.prompt) }),
    ...given({ left_out: point.leftOut?.map(clean) }),
  }
}

const listHint = '`entire rewind --list` shows the points.'
const shortestPrefix = 7

export function findPoint(points: RewindPoint[], id: string): RewindPoint {
  const exact = points.find((point) => point.id === id)
  const found =
    exact === undefined && id.length >= shortestPrefix
      ? points.filter((point) => point.id.startsWith(id))
      : []
  if (found.length > 1) {
    const shown = found.map((point) => point.id.slice(0, Math.max(12, id.length + 4)))
    throw ambiguousPrefix('rewind point', clean(id), shown)
  }
  const point = exact ?? found[0]
  if (point !== undefined) return point
  const isTooShort = id.length < shortestPrefix
  throw notFound(
    'rewind point',
    clean(id),
    isTooShort ? `Type at least ${shortestPrefix} digits. ${listHint}` : listHint,
  )
}

export function shortId(id: string): string {
  return id.slice(0, shortestPrefix)
}

/** A line of the menu. Only commits show their id. */
export function labelPoint(point: RewindPoint, points: RewindPoint[]): string {
  const isOnlySession = new Set(points.map(({ session }) => session)).size < 2
  const prompt = isOnlySession || point.prompt === undefined ? '' : ` [${clean(point.prompt)}]`
  const name = point.checkpoint === undefined ? '       ' : shortId(point.id)
  const time = localTime(point.date).slice(0, 'YYYY-MM-DD HH:MM'.length)
  return `${name} (${time}) ${point.isTask ? '[Task] ' : ''}${clean(point.message)}${prompt}`
}
