// Runs `entire resume`: finds the branch, session or checkpoint that the user named or picks, and resumes it.

import { isShadowRef, metadataBranch } from '../../checkpoints/layout.ts'
import { linkCheckpoints } from '../../checkpoints/links.ts'
import { findCheckpointIds, readCheckpoint } from '../../checkpoints/read.ts'
import { openObjectReader } from '../../git/cat-file.ts'
import { type BranchCommit, readBranchLog } from '../../git/log.ts'
import { listRefs } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { isCheckpointId } from '../../model/checkpoint.ts'
import { type Session, shortSessionId } from '../../model/session.ts'
import { findSessionIds, readRecentSessions } from '../../resume/find.ts'
import { isPlainId } from '../../resume/write-log.ts'
import { ambiguousPrefix, type EntireError, notFound } from '../../std/errors.ts'
import { parseTime } from '../../std/time.ts'
import { choose } from '../ask.ts'
import type { Cli } from '../context.ts'
import { systemRecorder } from '../recorder.ts'
import { timeAgo } from '../render/numbers.ts'
import { clean, cut, fit, tableLines } from '../render/text.ts'
import { sessionNotFound } from '../session/find-session.ts'
import { type BranchTarget, resumeBranch } from './resume-branch.ts'
import { fetchMissing, noteLines, type ResumeFlags, type ResumeRun } from './resume-run.ts'
import {
  type CheckpointTarget,
  resumeCheckpoint,
  resumeSession,
  type SessionTarget,
} from './resume-session.ts'

/** Without a name: a picker on a terminal, otherwise the current branch. */
export async function resume(
  cli: Cli,
  repo: Repo,
  typed: string | undefined,
  flags: ResumeFlags,
): Promise<void> {
  await withRun(cli, repo, flags, async (run) => {
    if (typed !== undefined) return findResumeTarget(run, typed)
    return cli.interactive && !flags.json
      ? pickResumeTarget(run)
      : { kind: 'branch', name: undefined, isLocal: true }
  })
}

export async function resumeOneSession(
  cli: Cli,
  repo: Repo,
  typed: string,
  flags: ResumeFlags,
): Promise<void> {
  await withRun(cli, repo, flags, (run) => findSessionTarget(run, typed))
}

async function withRun(
  cli: Cli,
  repo: Repo,
  flags: ResumeFlags,
  find: (run: ResumeRun) => Promise<ResumeTarget | undefined>,
): Promise<void> {
  await using objects = openObjectReader(repo)
  const run: ResumeRun = {
    cli,
    repo,
    objects,
    recorder: systemRecorder(repo, { component: 'resume' }),
    flags,
  }
  const target = await find(run)
  if (target?.kind === 'branch') await resumeBranch(run, target)
  if (target?.kind === 'session') await resumeSession(run, target)
  if (target?.kind === 'checkpoint') await resumeCheckpoint(run, target)
}

export type ResumeTarget = BranchTarget | SessionTarget | CheckpointTarget

// Shorter prefixes are too ambiguous.
const shortestPrefix = 4

async function findResumeTarget(run: ResumeRun, typed: string): Promise<ResumeTarget> {
  const branch = await findBranch(run, typed)
  if (branch !== undefined) return branch
  const [sessions, checkpoints] = await Promise.all([findSessions(run, typed), findCheckpoints(run, typed)])
  const exact = [...sessions, ...checkpoints].find(({ id }) => id === typed)
  const [first, ...others] = exact === undefined ? [...sessions, ...checkpoints] : [exact]
  if (others.length > 0 && first !== undefined) throw ambiguous(typed, [first, ...others])
  if (first !== undefined) return first
  if (isCheckpointId(typed) && (await fetchMissing(run, typed))) return { kind: 'checkpoint', id: typed }
  // Without a terminal `entire resume` alone resumes the current branch.
  const list = run.cli.interactive
    ? '`entire resume` alone lists what can be resumed.'
    : '`entire session list` and `entire explain` show sessions and checkpoints.'
  throw notFound(
    'branch, session or checkpoint',
    clean(typed),
    `\`git fetch\` gets the branches of others; ${list}`,
  )
}

async function findSessionTarget(run: ResumeRun, typed: string): Promise<SessionTarget> {
  const found = await findSessions(run, typed)
  const [first, ...others] = found.filter(({ id }) => id === typed).concat(found)
  if (first === undefined) throw sessionNotFound(typed)
  if (first.id !== typed && others.length > 0) throw ambiguous(typed, found)
  return first
}

// `for-each-ref` takes its patterns as globs, so its results are compared again. The branches of entire are
// excluded.
async function findBranch({ repo }: ResumeRun, typed: string): Promise<BranchTarget | undefined> {
  const name = typed.replace(/^origin\/(?=.)/, '')
  if (name === '' || name.startsWith('-') || name === metadataBranch || isShadowRef(`refs/heads/${name}`))
    return undefined
  const [local, remote] = [`refs/heads/${name}`, `refs/remotes/origin/${name}`]
  const refs = (await listRefs(repo, `refs/heads/${typed}`, local, remote)).map(({ ref }) => ref)
  if (refs.includes(`refs/heads/${typed}`)) return { kind: 'branch', name: typed, isLocal: true }
  return refs.includes(local) || refs.includes(remote)
    ? { kind: 'branch', name, isLocal: refs.includes(local) }
    : undefined
}

async function findSessions({ repo, objects }: ResumeRun, typed: string): Promise<SessionTarget[]> {
  if (typed.length < shortestPrefix || !isPlainId(typed)) return []
  return (await findSessionIds(repo, objects, typed)).map((id) => ({ kind: 'session', id }))
}

async function findCheckpoints({ repo, objects }: ResumeRun, typed: string): Promise<CheckpointTarget[]> {
  if (!/^[0-9A-Za-z]{4,26}$/.test(typed)) return []
  const isStored = isCheckpointId(typed) && (await readCheckpoint(objects, typed)) !== undefined
  const ids = isStored ? [typed] : await findCheckpointIds(repo, objects, typed)
  return ids.map((id) => ({ kind: 'checkpoint', id }))
}

function ambiguous(typed: string, found: (SessionTarget | CheckpointTarget)[]): EntireError {
  const names = found.map(({ kind, id }) => `${kind} ${clean(id)}`)
  return ambiguousPrefix('id', clean(typed), names)
}

const commitsRead = 300
const branchesShown = 10
const sessionsShown = 10

interface PickerOption {
  target: ResumeTarget
  cells: string[]
}

/** Offers branches with checkpoints and recent sessions. Undefined when the user picks none. */
async function pickResumeTarget(run: ResumeRun): Promise<ResumeTarget | undefined> {
  const [branches, sessions] = [await branchOptions(run), sessionOptions(run)]
  const options = [...branches, ...sessions]
  if (options.length === 0) {
    noteLines(run, 'Nothing to resume: no branch has a checkpoint, and no session was recorded here.')
    return undefined
  }
  const labels = tableLines(options.map(({ cells }) => cells)).map((line) =>
    fit(line, run.cli.size().columns - 6),
  )
  const choices = options.map((_, index) => ({ value: String(index), label: labels[index] as string }))
  const question = {
    message: 'What do you want to resume?',
    noTerminalHint: 'Name a branch, a session or a checkpoint.',
  }
  const chosen = await choose(run.cli, question, [...choices, { value: 'cancel', label: 'Cancel' }])
  const target = options[Number(chosen)]?.target
  if (target === undefined) noteLines(run, 'Resume cancelled.')
  return target
}

async function branchOptions({ cli, repo, objects }: ResumeRun): Promise<PickerOption[]> {
  const commits = await readBranchLog(repo, { count: commitsRead, without: 'entire' })
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

function sessionOptions({ cli, repo }: ResumeRun): PickerOption[] {
  return readRecentSessions(repo, sessionsShown).map((session) => ({
    target: { kind: 'session', id: session.id },
    cells: [
      'session',
      shortSessionId(clean(session.id)),
      lastActive(session, cli.clock()),
      describeSession(session),
    ],
  }))
}

function lastActive({ lastInteraction, startedAt }: Session, now: Date): string {
  const time = parseTime(lastInteraction) ?? parseTime(startedAt)
  return time === undefined ? '(unknown)' : timeAgo(time, now)
}

function describeSession({ agentType, firstPrompt }: Session): string {
  return `${clean(agentType)}${firstPrompt === undefined ? '' : `: ${cut(firstPrompt, 60)}`}`
}
