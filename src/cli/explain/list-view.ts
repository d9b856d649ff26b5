// The checkpoints of a branch as a list, newest first.
import type { JsonObject } from '../../std/json.ts'
import { clean, cut } from '../render/text.ts'
import { localTime } from '../render/time.ts'
import type { BranchPoint, BranchView } from './branch-points.ts'

export function listLines({ branch, points }: BranchView): string[] {
  const groups = groupPoints(points)
  const head = [`Branch: ${clean(branch)}`, `Checkpoints: ${groups.length}`]
  if (groups.length === 0) {
    return [...head, 'No checkpoints found on this branch.', 'Checkpoints are created when you commit the work of an agent session.']
  }
  return [...head, ...groups.flatMap((group) => ['', title(group), ...group.map(commitLine)])]
}

export function listJson({ branch, points }: BranchView): JsonObject {
  return { branch, checkpoints: groupPoints(points).map(groupJson) }
}

type Group = [BranchPoint, ...BranchPoint[]]

// Points are sorted, so the groups come in the order of their newest commits.
function groupPoints(points: BranchPoint[]): Group[] {
  return [...Map.groupBy(points, (point) => point.group).values()] as Group[]
}

function title([first]: Group): string {
  const marks = [first.isTask ? ' [Task]' : '', first.isStep ? ' [temporary]' : ''].join('')
  const prompt = first.prompt === undefined ? '(no prompt)' : `"${cut(first.prompt, 60)}"`
  return `[${shortId(first)}]${marks} ${prompt}`
}

// ULIDs differ at their end, not at their beginning.
function shortId({ group, isStep }: BranchPoint): string {
  return isStep ? clean(group).slice(0, 12) : group
}

function commitLine({ commit }: BranchPoint): string {
  return `  ${localTime(commit.committedAt).slice(5, 16)} (${commit.oid.slice(0, 7)}) ${cut(commit.subject, 80)}`
}

function groupJson(group: Group): JsonObject {
  const [first] = group
  return {
    ...(first.isStep ? { session_id: first.group } : { checkpoint_id: first.group }),
    is_temporary: first.isStep,
    is_task: first.isTask,
    ...(first.agent === undefined ? {} : { agent: first.agent }),
    ...(first.prompt === undefined ? {} : { prompt: first.prompt }),
    commits: group.map(({ commit }) => ({ id: commit.oid, date: commit.committedAt, message: commit.subject })),
  }
}
