// The picker: branches that have checkpoints and sessions heard of lately. How much is looked at does not depend on how much there is.
import { linkCheckpoints } from '../../checkpoints/links.ts'
import { type BranchCommit, readBranchLog } from '../../git/log.ts'
import type { Session } from '../../model/session.ts'
import { readRecentSessions } from '../../session/resume-session.ts'
import { parseTime } from '../../std/time.ts'
import { choose } from '../ask.ts'
import { fit, tableLines } from '../render/table.ts'
import { clean, cut } from '../render/text.ts'
import { timeAgo } from '../render/time.ts'
import { type Run, tell } from './run.ts'
import type { Target } from './target.ts'

const commitsLookedAt = 300
const branchesShown = 10
const sessionsShown = 10

interface Option {
  target: Target
  cells: string[]
}

/** Undefined when nothing was picked. */
export async function pickTarget(run: Run): Promise<Target | undefined> {
  const [branches, sessions] = [await branchOptions(run), sessionOptions(run)]
  const options = [...branches, ...sessions]
  if (options.length === 0) {
    tell(run, 'Nothing to resume: no branch has a checkpoint, and no session was recorded here.')
    return undefined
  }
  const labels = tableLines(options.map(({ cells }) => cells)).map((line) => fit(line, run.cli.size().columns - 6))
  const choices = options.map((_, index) => ({ value: String(index), label: labels[index] as string }))
  const question = { message: 'What do you want to resume?', otherwise: 'Name a branch, a session or a checkpoint.' }
  const chosen = await choose(run.cli, question, [...choices, { value: 'cancel', label: 'Cancel' }])
  const target = options[Number(chosen)]?.target
  if (target === undefined) tell(run, 'Resume cancelled.')
  return target
}

async function branchOptions({ cli, repo, objects }: Run): Promise<Option[]> {
  const commits = await readBranchLog(repo, { count: commitsLookedAt, without: 'entire' })
  const linked = (await linkCheckpoints(objects, commits)).map(({ commit }) => commit as BranchCommit)
  const newest = new Map(linked.toReversed().map((commit) => [commit.branch, commit]))
  return [...newest.values()]
    .sort((a, b) => Date.parse(b.committedAt) - Date.parse(a.committedAt))
    .slice(0, branchesShown)
    .map(({ branch, committedAt, subject }) => ({
      target: { kind: 'branch', name: branch, isLocal: true },
      cells: ['branch', clean(branch), timeAgo(new Date(committedAt), cli.clock()), cut(subject, 60)],
    }))
}

function sessionOptions({ cli, repo }: Run): Option[] {
  return readRecentSessions(repo, sessionsShown).map((session) => ({
    target: { kind: 'session', id: session.id },
    cells: ['session', clean(session.id).slice(0, 8), heardOf(session, cli.clock()), describe(session)],
  }))
}

function heardOf({ lastInteraction, startedAt }: Session, now: Date): string {
  const time = parseTime(lastInteraction) ?? parseTime(startedAt)
  return time === undefined ? '(unknown)' : timeAgo(time, now)
}

function describe({ agentType, firstPrompt }: Session): string {
  return `${clean(agentType)}${firstPrompt === undefined ? '' : `: ${cut(firstPrompt, 60)}`}`
}
