// Counts how many lines of a commit the agent wrote and how many a person. Compares three states of each file
// (before the session, at its last step, as committed); measurements at each prompt show the user's edits in
// between.
import type { Attribution } from '../model/checkpoint.ts'
import type { PromptAttribution } from '../model/session.ts'

/** A file of the commit that the session touched. A missing or binary file is the empty text. */
interface SessionFile {
  path: string
  /** Its text at the commit the session is measured from. */
  base: string
  /** Its text in the session's last step; as committed when there is no step. */
  step: string
  head: string
}

/** A file of the commit that the session did not touch. */
interface OtherFile {
  path: string
  parent: string
  head: string
}

export interface AttributionInput {
  /** Without touched files that are not in the commit: their missing lines were not removed by the user. */
  files: SessionFile[]
  others: OtherFile[]
  /** Files touched by other sessions of the same commit: their lines are not the user's. */
  otherSessions: ReadonlySet<string>
  prompts: PromptAttribution[]
  calculatedAt: string
}

/** Undefined when the commit holds no file the session touched. */
export function attribute(input: AttributionInput): Attribution | undefined {
  if (input.files.length === 0) return undefined
  // Edits before the first prompt are the session's starting point: not the user's share of this commit, and
  // not the agent's.
  const first = input.prompts.filter((prompt) => prompt.number <= 1)
  const between = input.prompts.filter((prompt) => prompt.number > 1)
  const files = measureFiles(input.files, first, between)

  const agentAdded = atLeastZero(files.workAdded - files.baseline - files.userAdded)
  const agentRemoved = atLeastZero(files.workRemoved - sum(input.prompts, (prompt) => prompt.userRemoved))
  const userAdded = files.userAdded + files.lateAdded + measureOthers(input)
  const userRemoved = files.lateRemoved + sum(between, (prompt) => prompt.userRemoved)

  const humanModified = Math.min(userAdded, userRemoved)
  const humanAdded = userAdded - humanModified
  const humanRemoved = userRemoved - humanModified
  // Changes of the user's own lines take nothing from the agent.
  const modifiedOfAgent = atLeastZero(humanModified - files.ownRemoved)
  const agentLines = atLeastZero(agentAdded - humanRemoved - modifiedOfAgent)

  const net = agentAdded + humanAdded - humanRemoved
  const totalLinesChanged = agentLines + agentRemoved + humanAdded + humanModified + humanRemoved
  return {
    calculatedAt: input.calculatedAt,
    agentLines,
    agentRemoved,
    humanAdded,
    humanModified,
    humanRemoved,
    totalCommitted: net > 0 ? net : agentAdded,
    totalLinesChanged,
    agentPercentage: totalLinesChanged > 0 ? ((agentLines + agentRemoved) / totalLinesChanged) * 100 : 0,
  }
}

interface MeasuredFile {
  path: string
  /** Its text in the last step, or at the base when there is no step. */
  reference: string
  worktree: string
  base: string
}

/** What the user changed before a prompt; measured when a turn starts, before the agent works. */
export function measurePrompt(number: number, files: MeasuredFile[], hasShadow: boolean): PromptAttribution {
  const users = files.map(({ path, reference, worktree }) => ({ path, ...diffLines(reference, worktree) }))
  const agents = hasShadow ? files.map(({ base, reference }) => diffLines(base, reference)) : []
  return {
    number,
    userAdded: sum(users, ({ added }) => added),
    userRemoved: sum(users, ({ removed }) => removed),
    agentAdded: sum(agents, ({ added }) => added),
    agentRemoved: sum(agents, ({ removed }) => removed),
    userAddedPerFile: Object.fromEntries(
      users.filter(({ added }) => added > 0).map(({ path, added }) => [path, added]),
    ),
  }
}

/**
 * Content as text for counting lines: one character per byte, so that different contents stay different.
 * Empty for a missing or binary file (one with an early NUL, as for git).
 */
export function countableText(content: Buffer | undefined): string {
  if (content === undefined || content.subarray(0, 8000).includes(0)) return ''
  return content.toString('latin1')
}

function measureFiles(files: SessionFile[], first: PromptAttribution[], between: PromptAttribution[]) {
  const totals = {
    workAdded: 0,
    workRemoved: 0,
    lateAdded: 0,
    lateRemoved: 0,
    baseline: 0,
    userAdded: 0,
    ownRemoved: 0,
  }
  for (const { path, base, step, head } of files) {
    const work = diffLines(base, step)
    const late = diffLines(step, head)
    const before = addedTo(path, first)
    const user = addedTo(path, between)
    // A line added before the first prompt and removed before the commit changed nothing.
    const lateRemoved = atLeastZero(late.removed - before)
    totals.workAdded += work.added
    totals.workRemoved += work.removed
    totals.lateAdded += late.added
    totals.lateRemoved += lateRemoved
    totals.baseline += before
    totals.userAdded += user
    totals.ownRemoved += Math.min(lateRemoved, user)
  }
  return totals
}

/**
 * Lines the user added in this commit to files that no session touched. Earlier commits have their own
 * record.
 */
function measureOthers({ files, others, otherSessions }: AttributionInput): number {
  const touched = new Set(files.map(({ path }) => path))
  const users = others.filter(({ path }) => !touched.has(path) && !otherSessions.has(path))
  return sum(users, ({ parent, head }) => diffLines(parent, head).added)
}

function addedTo(path: string, prompts: PromptAttribution[]): number {
  return sum(prompts, ({ userAddedPerFile }) =>
    Object.hasOwn(userAddedPerFile, path) ? (userAddedPerFile[path] ?? 0) : 0,
  )
}

function sum<T>(items: T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0)
}

function atLeastZero(value: number): number {
  return Math.max(0, value)
}

interface LineCounts {
  added: number
  removed: number
}

// After this many search steps the differing middle counts as replaced: a commit must not wait for a shuffled
// file of a million lines.
const maxSearchSteps = 20_000_000

export function countLines(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return text === '' || text.endsWith('\n') ? lines : lines + 1
}

/** How many lines were added and removed between two texts. */
export function diffLines(before: string, after: string): LineCounts {
  if (before === after) return { added: 0, removed: 0 }
  if (before === '') return { added: countLines(after), removed: 0 }
  if (after === '') return { added: 0, removed: countLines(before) }
  const [a, b] = differingMiddle(before, after)
  const { left, right, ...counts } = internShared(splitLines(a), splitLines(b))
  const edits = editDistance(left, right) ?? left.length + right.length
  // Insertions and deletions add up to the edits, and their difference is the difference in length.
  const removed = (edits + left.length - right.length) / 2
  return { added: counts.added + edits - removed, removed: counts.removed + removed }
}

/** Both texts without their common leading and trailing lines. */
function differingMiddle(a: string, b: string): [string, string] {
  const shorter = Math.min(a.length, b.length)
  let same = 0
  while (same < shorter && a.charCodeAt(same) === b.charCodeAt(same)) same += 1
  const start = same === 0 ? 0 : a.lastIndexOf('\n', same - 1) + 1
  let tail = 0
  while (tail < shorter - start && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail))
    tail += 1
  const lineEnd = a.indexOf('\n', a.length - tail)
  const end = lineEnd === -1 ? 0 : a.length - 1 - lineEnd
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)]
}

/** Lines with their line ends, so that a last line that gains one has changed. */
function splitLines(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
    lines.push(text.slice(start, at + 1))
    start = at + 1
  }
  return start < text.length ? [...lines, text.slice(start)] : lines
}

/** Lines as numbers. Lines that only one side has are counted here, because they cannot match anything. */
function internShared(
  before: string[],
  after: string[],
): LineCounts & { left: Int32Array; right: Int32Array } {
  const ids = new Map<string, number>()
  for (const line of before) if (!ids.has(line)) ids.set(line, ids.size)
  const right = after.map((line) => ids.get(line) ?? -1).filter((id) => id !== -1)
  const shared = new Set(right)
  const left = before.map((line) => ids.get(line)!).filter((id) => shared.has(id))
  return {
    left: Int32Array.from(left),
    right: Int32Array.from(right),
    added: after.length - right.length,
    removed: before.length - left.length,
  }
}

/**
 * The least number of insertions and deletions (Myers 1986, greedy forward search); undefined when it takes
 * too long.
 */
function editDistance(a: Int32Array, b: Int32Array): number | undefined {
  const furthest = new Int32Array(2 * (a.length + b.length) + 3)
  const zero = a.length + b.length + 1
  let steps = 0
  for (let edits = 0; edits <= a.length + b.length; edits += 1) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = zero + diagonal
      const down = diagonal === -edits || (diagonal !== edits && furthest[at - 1]! < furthest[at + 1]!)
      const from = down ? furthest[at + 1]! : furthest[at - 1]! + 1
      let x = from
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1
      furthest[at] = x
      if (x >= a.length && x - diagonal >= b.length) return edits
      steps += 1 + x - from
    }
    if (steps > maxSearchSteps) return undefined
  }
  return undefined
}
