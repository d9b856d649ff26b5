// What happened on a branch: its commits with checkpoints, and the steps that no commit has taken in yet.
import { isShadowRef, sessionDir, shadowRef } from '../../checkpoints/layout.ts'
import { linkCheckpoints } from '../../checkpoints/links.ts'
import { parsePrompts, readCheckpoint, readPrompts } from '../../checkpoints/read.ts'
import { type Branches, readBranches } from '../../git/branches.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { type LogEntry, readLog } from '../../git/log.ts'
import { listRefs } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { readTrailer } from '../../git/trailers.ts'

export interface BranchPoint {
  /** Checkpoint id, or the session's for a step. */
  group: string
  isStep: boolean
  isTask: boolean
  prompt: string | undefined
  agent: string | undefined
  commit: LogEntry
}

const commitsWalked = 500
const pointsKept = 100

export interface BranchView {
  branch: string
  points: BranchPoint[]
}

export async function readBranchPoints(repo: Repo, objects: ObjectReader): Promise<BranchView> {
  const branches = await readBranches(repo)
  const [own, all] = await Promise.all([readLog(repo, ownHistory(branches)), readLog(repo, [`-${commitsWalked}`, 'HEAD'])])
  const [commits, steps] = await Promise.all([readCommitted(objects, own), readSteps(repo, objects, all)])
  const points = [...commits, ...steps].sort((a, b) => Date.parse(b.commit.committedAt) - Date.parse(a.commit.committedAt))
  return { branch: branches.current ?? '(detached)', points: points.slice(0, pointsKept) }
}

// On a branch of its own only what is not on the default branch; there, everything that was merged.
function ownHistory(branches: Branches): string[] {
  const name = branches.default?.replace(/^refs\/(?:heads|remotes\/origin)\//, '')
  const args = [`-${commitsWalked}`, 'HEAD']
  return branches.default === undefined || branches.current === name ? args : [...args, '--first-parent', '--not', branches.default]
}

async function readCommitted(objects: ObjectReader, history: LogEntry[]): Promise<BranchPoint[]> {
  const links = await linkCheckpoints(objects, history)
  const points = links.flatMap(({ commit, checkpoints }) => checkpoints.map((id) => committedPoint(objects, commit, id)))
  return (await Promise.all(points)).filter((point) => point !== undefined)
}

async function committedPoint(objects: ObjectReader, commit: LogEntry, id: string): Promise<BranchPoint | undefined> {
  const session = (await readCheckpoint(objects, id))?.sessions.at(-1)
  if (session === undefined) return undefined
  const prompt = (await readPrompts(objects, session))[0]
  return { group: id, isStep: false, isTask: session.isTask === true, prompt, agent: session.agent, commit }
}

async function readSteps(repo: Repo, objects: ObjectReader, history: LogEntry[]): Promise<BranchPoint[]> {
  const here = new Set(history.map((commit) => shadowRef(commit.oid, repo.worktreeId)))
  const refs = (await listRefs(repo, 'refs/heads/entire/')).filter(({ ref }) => isShadowRef(ref) && here.has(ref))
  if (refs.length === 0) return []
  const steps = await readLog(repo, [`-${pointsKept}`, ...refs.map(({ oid }) => oid)])
  return await Promise.all(steps.map((commit) => stepPoint(objects, commit)))
}

async function stepPoint(objects: ObjectReader, commit: LogEntry): Promise<BranchPoint> {
  const session = readTrailer(commit.message, 'Entire-Session')[0]
  const file = session === undefined ? undefined : await objects.contents(`${commit.oid}:${sessionDir(session)}/prompt.txt`)
  return {
    group: session ?? 'temporary',
    isStep: true,
    isTask: readTrailer(commit.message, 'Entire-Metadata-Task').length > 0,
    prompt: parsePrompts(file?.content.toString('utf8') ?? '')[0],
    agent: undefined,
    commit,
  }
}
