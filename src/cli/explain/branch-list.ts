// Formats the points of a branch as a list, newest first, and as JSON.

import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { localTime } from '../render/numbers.ts'
import { clean, cut, fit } from '../render/text.ts'
import type { BranchPoint, BranchView } from './branch-points.ts'
import type { Look } from './conversation.ts'

/** The lines below the name of the branch. */
export function listLines({ session, points }: BranchView, look: Look): string[] {
  const groups = groupPoints(points)
  const uncommitted = groups.filter(([first]) => first.isStep).length
  const head = [
    `Checkpoints: ${groups.length - uncommitted}${uncommitted === 0 ? '' : `, uncommitted sessions: ${uncommitted}`}`,
    ...(session === undefined ? [] : [`Filtered by session: ${clean(session)}`]),
    '',
  ]
  if (groups.length > 0)
    return [
      ...head,
      ...groups.flatMap((group) => [title(group, look), ...group.map((point) => line(point, look)), '']),
    ]
  return [
    ...head,
    'No checkpoints found on this branch.',
    session === undefined
      ? 'Checkpoints are created when you commit the work of an agent session.'
      : 'Run `entire explain` without --session to see all sessions.',
  ]
}

export function listJson({ branch, session, points }: BranchView): JsonObject {
  return {
    branch: branch ?? '(detached)',
    ...given({ session_filter: session }),
    checkpoints: groupPoints(points).map(groupJson),
  }
}

type Group = [BranchPoint, ...BranchPoint[]]

// Points are sorted, so groups are in the order of their newest commits.
function groupPoints(points: BranchPoint[]): Group[] {
  return [...Map.groupBy(points, (point) => point.group).values()] as Group[]
}

function title([first]: Group, { paint, width }: Look): string {
  const marks = [first.isTask ? ' [Task]' : '', first.isStep ? ' [step]' : ''].join('')
  const prompt = first.prompt === undefined ? '(no prompt)' : `"${cut(first.prompt, 60)}"`
  return fit(`[${paint('cyan', shortId(first))}]${paint('yellow', marks)} ${prompt}`, width)
}

// Ids of checkpoints are not shortened: ULIDs differ at their end. Those of sessions are as long as in the
// original's list.
function shortId({ group, isStep }: BranchPoint): string {
  return isStep ? clean(group).slice(0, 12) : group
}

function line({ commit }: BranchPoint, { paint, width }: Look): string {
  const when = localTime(commit.committedAt).slice(5, 16)
  return fit(`  ${paint('dim', `${when} (${commit.oid.slice(0, 7)})`)} ${cut(commit.subject, 80)}`, width)
}

function groupJson(group: Group): JsonObject {
  const [first] = group
  return {
    ...(first.isStep ? { session_id: first.group } : { checkpoint_id: first.group }),
    is_temporary: first.isStep,
    is_task: first.isTask,
    session_ids: first.sessions,
    ...given({ agent: first.agent, prompt: first.prompt }),
    commits: group.map(({ commit }) => ({
      id: commit.oid,
      date: commit.committedAt,
      message: commit.subject,
    })),
  }
}
