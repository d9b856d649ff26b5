// Finds the sessions whose work is in a commit. The staged changes and the committed ones are judged alike,
// so that a commit never gets a link without a checkpoint behind it.

import { closeSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import { countableText } from '../checkpoints/attribution.ts'
import { shadowRef } from '../checkpoints/layout.ts'
import { readLeftOut } from '../checkpoints/left-out.ts'
import { overlaps, shareLines, type TouchedFile, touchesCommit } from '../checkpoints/overlap.ts'
import { maxSnapshotBytes } from '../checkpoints/snapshot.ts'
import { findAgentStep } from '../checkpoints/step.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { CommitInfo } from '../git/commit.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import type { ChangedFile } from '../git/tree-diff.ts'
import type { Agent, AgentCard } from '../model/agent.ts'
import { isActive, type Session } from '../model/session.ts'
import type { Recorder } from '../sessions/event-work.ts'
import type { HandOver } from '../sessions/fetched-transcript.ts'
import type { GitSession } from '../sessions/git-session.ts'
import type { LiveIndex } from '../sessions/live-index.ts'
import { moveToWorktree } from '../sessions/ownership.ts'
import { isProvisional } from '../sessions/provisional-turn.ts'
import { findSessionState, readSession } from '../sessions/store.ts'
import type { TurnTranscript } from '../sessions/transcript.ts'
import {
  findCommittedByTurn,
  findLogBefore,
  isMentioned,
  toRepoPath,
  toRepoPaths,
} from '../sessions/turn-changes.ts'
import type { Environment } from '../std/environment.ts'
import { readText } from '../std/file.ts'
import { given } from '../std/given.ts'
import { prefetch } from '../std/prefetch.ts'
import { parseTime } from '../std/time.ts'

/** A turn that has been silent for a day is dead: a commit that no file decides is not its work. */
const deadTurnMs = 24 * 60 * 60 * 1000

/** A session that may have a part in a commit. */
interface CommitCandidate {
  session: Session
  /** Reads, once, what the running turn has said so far; absent when no turn is running. */
  readTranscript?: () => Promise<TurnTranscript | undefined>
}

/** A session whose work is in the commit. */
export interface CommittingSession extends CommitCandidate {
  agent: Agent
}

export interface CommitChange {
  files: Map<string, ChangedFile>
  /** Any object id of the repository, for its length. */
  sampleOid: string
}

/** A change that is staged or committed, who commits it, and the sessions it may come from. */
export interface CommitQuery {
  recorder: Recorder
  git: GitSession
  live: Pick<LiveIndex, 'sessions'>
  change: CommitChange
  committer: Committer
  /** A commit that was made earlier in the turn: what was said since has no part in it. */
  earlier?: Pick<CommitInfo, 'oid' | 'committedAt'> | undefined
}

export async function findCommittingSessions(query: CommitQuery): Promise<CommittingSession[]> {
  const candidates = await findCandidates({ ...query, handOver: 'take' })
  const agents = await Promise.all(
    candidates.map(({ session }) => query.recorder.findAgentByType(session.agentType)),
  )
  return candidates.flatMap((candidate, index) =>
    agents[index] === undefined ? [] : { ...candidate, agent: agents[index] },
  )
}

type CandidateQuery = CommitQuery & { handOver: HandOver }

async function findCandidates(query: CandidateQuery): Promise<CommitCandidate[]> {
  const opened = await Promise.all(candidateIds(query).map((id) => openCandidate(query, id)))
  const candidates = opened.filter((candidate) => candidate !== undefined)
  const verdicts = await Promise.all(
    candidates.map((candidate) => isCommitting(query, candidate, candidates)),
  )
  const sure = candidates.filter((_, index) => verdicts[index] === 'yes')
  // A commit without a terminal comes from an agent. When no session's files are in it, any running one may
  // have made it.
  return sure.length > 0 ? sure : candidates.filter((_, index) => verdicts[index] === 'perhaps')
}

/**
 * Stops when it has found any: tries the running sessions first, then the others a few at a time. `keepWith` redacts what
 * plugins say, which is kept for the hook after the commit.
 */
export async function findSomeCommittingSessions(
  query: CommitQuery,
  keepWith: Recorder['redaction'],
): Promise<CommitCandidate[]> {
  const { sessions } = query.live
  const ids = candidateIds(query)
  const running = ids.filter((id) => sessions.get(id)?.active)
  const others = ids.filter((id) => !sessions.get(id)?.active)
  for (const batch of [running, ...batches(others)]) {
    const some = new Map([...sessions].filter(([id]) => batch.includes(id)))
    const found = await findCandidates({ ...query, live: { sessions: some }, handOver: { keepWith } })
    if (found.length > 0) return found
  }
  return []
}

function batches(ids: string[], size = 8): string[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) =>
    ids.slice(at * size, (at + 1) * size),
  )
}

function candidateIds({ live, change }: CommitQuery): string[] {
  return [...live.sessions]
    .filter(([, entry]) => entry.active || entry.files.some((path) => change.files.has(path)))
    .map(([id]) => id)
}

async function openCandidate(
  { recorder, git, live, change: { sampleOid }, handOver, earlier }: CandidateQuery,
  id: string,
): Promise<CommitCandidate | undefined> {
  const session = readSession(recorder.repo, id)
  if (session !== undefined && session.worktreeId !== recorder.repo.worktreeId) {
    // The session has moved to another work tree; what it left here is being committed.
    if (isActive(session)) return undefined
    moveToWorktree(recorder.repo, session, live)
  }
  const isKnown = recorder.agentCards().some(({ type }) => type === session?.agentType)
  if (session === undefined || !isKnown || session.baseCommit === '') return undefined
  // The last step holds its work: its agent need not even be loaded.
  if (!isActive(session)) return { session }
  const agent = await recorder.findAgentByType(session.agentType)
  if (agent === undefined) return undefined
  const read = async () => {
    // Most commits are made while no turn is running.
    const { readTurnTranscript } = await import('../sessions/transcript.ts')
    const until =
      earlier === undefined || agent.source !== undefined
        ? undefined
        : findLogBefore({ repo: recorder.repo, session }, earlier)
    const request = { recorder, agent, session, objects: git.objects, sampleOid, handOver }
    return await readTurnTranscript({ ...request, ...given({ until }) })
  }
  let reading: Promise<TurnTranscript | undefined> | undefined
  const readTranscript = () => {
    reading ??= read()
    return reading
  }
  // An agent that has to be asked for its transcript is asked only when nothing else decides.
  if (agent.source === undefined) prefetch(readTranscript())
  return { session, readTranscript }
}

async function isCommitting(
  { recorder, git, change, committer }: CommitQuery,
  { session, readTranscript = async () => undefined }: CommitCandidate,
  all: CommitCandidate[],
): Promise<'yes' | 'no' | 'perhaps'> {
  if (!isActive(session)) return (await hasContentIn(git, session, change)) ? 'yes' : 'no'
  if (committer.session === session.id) return 'yes'
  const isIn = (files: string[]) =>
    files.some((file) => change.files.has(toRepoPath(recorder.repo, file) ?? ''))
  if (session.filesTouched.some((path) => change.files.has(path)) || isIn(session.turnFiles)) return 'yes'
  if (isIn((await readTranscript())?.files ?? [])) return 'yes'
  if (await isProvisional({ recorder, session }, readTranscript)) return 'no'
  const turn = { repo: recorder.repo, objects: git.objects, session }
  const changed = await findCommittedByTurn(turn, change.files.values())
  const others = all.filter((candidate) => candidate.session.id !== session.id)
  const foreign = changed.length === 0 ? new Set() : await readNames(recorder.repo, others)
  if (
    isMentioned(
      turn,
      changed.filter((path) => !foreign.has(path)),
    )
  )
    return 'yes'
  const lastSign = parseTime(session.lastInteraction)?.getTime() ?? 0
  const isAlive = recorder.clock().getTime() - lastSign < deadTurnMs
  return !committer.hasTerminal && mayBe(recorder, committer, session) && isAlive ? 'perhaps' : 'no'
}

/** Files that belong to one of the sessions, or that the running turns of these name. */
async function readNames(repo: Repo, candidates: CommitCandidate[]): Promise<Set<string>> {
  const names = candidates.map(async ({ session, readTranscript }) => [
    ...session.filesTouched,
    ...toRepoPaths(repo, [...session.turnFiles, ...((await readTranscript?.())?.files ?? [])]),
  ])
  return new Set((await Promise.all(names)).flat())
}

// Subagents of some agents commit under ids of their own: an id without a session tells only which agent it
// was.
function mayBe({ repo }: Recorder, { session: id, agentType }: Committer, session: Session): boolean {
  if (id === undefined) return agentType === undefined || session.agentType === agentType
  return session.agentType === agentType && findSessionState(repo, id) === undefined
}

// Steps leave some files out, so these cannot be compared. Steps of other programs do not name them.
async function leavesOut(objects: ObjectReader, step: Oid, files: TouchedFile[]): Promise<boolean> {
  const leftOut = new Set(await readLeftOut(objects, step))
  if (files.some(({ path }) => leftOut.has(path))) return true
  const infos = await Promise.all(
    files.flatMap(({ stepOid, changed }) =>
      stepOid === undefined && changed?.after ? [objects.info(changed.after)] : [],
    ),
  )
  return infos.some((info) => (info?.size ?? 0) > maxSnapshotBytes)
}

// Compares contents: a new file counts only when it holds what the session wrote, not other work under the
// same name.
async function hasContentIn(
  { objects }: GitSession,
  session: Session,
  change: CommitChange,
): Promise<boolean> {
  const shadow = shadowRef(session.baseCommit, session.worktreeId)
  const paths = session.filesTouched.filter((path) => change.files.has(path))
  if (paths.length === 0) return false
  const tip = await findAgentStep(objects, shadow)
  const blobs =
    tip === undefined ? [] : await Promise.all(paths.map((path) => objects.info(`${tip.name}:${path}`)))
  const files = paths.map((path, index) => ({
    path,
    changed: change.files.get(path),
    stepOid: blobs[index]?.oid,
  }))
  if (tip === undefined || (await leavesOut(objects, tip.oid, files))) return touchesCommit(files)
  const read = async (oid: string | undefined) =>
    oid === undefined ? '' : countableText((await objects.contents(oid))?.content)
  return overlaps(files, async (path) => {
    const file = files.find((candidate) => candidate.path === path)
    return shareLines(await read(file?.stepOid), await read(file?.changed?.after))
  })
}

/** Who runs `git commit`: an agent, perhaps in a known session, or a person at a terminal. */
export interface Committer {
  /** The session that the environment of `git commit` names. */
  session: string | undefined
  /** Type of the agent that set it. */
  agentType?: string | undefined
  hasTerminal: boolean
}

/** Stands for the person or program that made a commit earlier. */
export const unknownCommitter: Committer = { session: undefined, hasTerminal: true }

export function findCommitter(env: Environment, agents: AgentCard[]): Committer {
  const namer = agents.find(({ callerSessionEnv }) => callerSessionEnv !== undefined && env[callerSessionEnv])
  const byAgent = agents.some((agent) => agent.callerEnv.some((name) => env[name]))
  const hasTerminal =
    terminalSays(env.ENTIRE_TEST_TTY) ?? (!byAgent && env.GIT_TERMINAL_PROMPT !== '0' && canOpenTerminal())
  // An agent that sets no variable commits at its own terminal.
  const above = hasTerminal && namer === undefined ? findAgentAbove(agents, process.ppid) : undefined
  return {
    session: namer && env[namer.callerSessionEnv ?? ''],
    agentType: (namer ?? above)?.type,
    hasTerminal: hasTerminal && above === undefined,
  }
}

/** The agent whose program is an ancestor of this process, where the system tells. */
function findAgentAbove(agents: AgentCard[], parent: number): AgentCard | undefined {
  const programs = agents.filter(({ program }) => program !== undefined)
  for (let pid = parent; pid > 1; ) {
    const [words, status] = [readText(`/proc/${pid}/cmdline`), readText(`/proc/${pid}/stat`)]
    if (words === undefined || status === undefined) return undefined
    // A script is named after its interpreter.
    const names = words
      .split('\0')
      .slice(0, 2)
      .map((word) => basename(word))
    const found = programs.find(({ program = '' }) => names.includes(program))
    if (found !== undefined) return found
    // The name of the program, in brackets, may contain anything.
    pid = Number(
      status
        .slice(status.lastIndexOf(')') + 1)
        .trim()
        .split(' ')[1],
    )
  }
  return undefined
}

function terminalSays(seam: string | undefined): boolean | undefined {
  return seam ? seam === '1' : undefined
}

function canOpenTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'))
    return true
  } catch {
    return false
  }
}
