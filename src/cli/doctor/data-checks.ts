// Checks stored data: the metadata branch and its copies, broken links, orphaned shadow branches, leftover refs.

import {
  type BrokenLinks,
  findBrokenLinks,
  type MetadataCopy,
  readMetadataHealth,
} from '../../checkpoints/health.ts'
import { branchName, metadataBranch, metadataRef } from '../../checkpoints/layout.ts'
import { mergeWith } from '../../checkpoints/sync-ref.ts'
import { discard, emptyPlan } from '../../cleanup/clean.ts'
import { fetchedRefs, type Inventory, isLeftover } from '../../cleanup/inventory.ts'
import { readPending } from '../../commits/pending.ts'
import { readConfig } from '../../git/config.ts'
import { listRefs, moveRefs } from '../../git/refs.ts'
import { keptRefDays } from '../../sessions/kept-refs.ts'
import { countOf } from '../../std/plural.ts'
import type { FetchOutcome } from '../../sync/fetch.ts'
import { fetchingFor } from '../fetching.ts'
import type { DoctorRun, Finding } from './finding.ts'

const commitsWalked = 200
const mostNamed = 10

export async function checkMetadata(run: DoctorRun): Promise<Finding[]> {
  const { local, copies } = await readMetadataHealth(run.repo, run.objects)
  return [
    ...(local === 'unreadable' ? [unreadableBranch] : []),
    ...copies.flatMap((copy) => {
      if (copy.relation === 'connected') return []
      return copy.relation === 'diverged' ? divergedCopy(copy) : disconnectedCopy(run, copy)
    }),
  ]
}

const unreadableBranch: Finding = {
  id: 'metadata-unreadable',
  severity: 'error',
  title: `The branch ${metadataBranch} cannot be read.`,
  detail: ['New checkpoints cannot be stored, and old ones cannot be shown.'],
  fix: `\`git fsck\` shows what is missing. If a remote has the branch, run \`git fetch <remote> +${metadataBranch}:${metadataBranch}\`.`,
  remedies: [],
}

function divergedCopy({ remote }: MetadataCopy): Finding {
  return {
    id: 'metadata-diverged',
    subject: remote,
    severity: 'info',
    title: `This repository and ${remote} each have checkpoints that the other does not have.`,
    detail: [`Local branch: ${metadataBranch}, remote: ${remote}`],
    fix: 'None needed: the next `git push` merges them.',
    remedies: [],
  }
}

function disconnectedCopy({ repo, objects, recorder }: DoctorRun, { remote, oid }: MetadataCopy): Finding {
  const merge = async () => {
    const { author } = await readConfig(repo)
    const { clock } = recorder
    await mergeWith(
      { repo, objects, remote, label: remote, ref: metadataRef, clock, author, say: () => {} },
      oid,
    )
    return [`Merged the checkpoints of ${remote} into ${metadataBranch}`]
  }
  return {
    id: 'metadata-disconnected',
    subject: remote,
    severity: 'warning',
    title: `The checkpoints of this repository and those of ${remote} have no common history.`,
    detail: [
      `Local branch: ${metadataBranch}, remote: ${remote}`,
      'Each side started a history of its own. Merging them loses nothing.',
    ],
    fix: 'The next `git push` merges them; `entire doctor --force` does it now.',
    remedies: [{ label: 'Merge both histories', apply: merge }],
  }
}

export async function checkLinks({ cli, repo, objects }: DoctorRun): Promise<Finding[]> {
  // What was promised and is not written yet is a finding of its own.
  const promised = new Set(readPending(repo).map(({ checkpoint }) => checkpoint))
  const find = async () => {
    const { dangling, incomplete } = await findBrokenLinks(repo, objects, commitsWalked)
    return { dangling: dangling.filter(({ checkpoint }) => !promised.has(checkpoint)), incomplete }
  }
  const first = await find()
  const absent = first.dangling.filter(({ isStored }) => !isStored).map(({ checkpoint }) => checkpoint)
  // Settings that cannot be read say nothing about links, unless something must be fetched.
  if (absent.length === 0)
    return [...describeDangling(first.dangling, { failures: [] }), ...describeIncomplete(first.incomplete)]
  const fetched = await fetchingFor(cli, repo, objects).checkpoints([...new Set(absent)])
  const isSame = fetched.missing.length === new Set(absent).size
  const { dangling, incomplete } = isSame ? first : await find()
  return [...describeDangling(dangling, fetched), ...describeIncomplete(incomplete)]
}

function describeDangling(
  dangling: BrokenLinks['dangling'],
  { failures }: Pick<FetchOutcome, 'failures'>,
): Finding[] {
  if (dangling.length === 0) return []
  const lines = dangling
    .slice(0, mostNamed)
    .map(
      ({ commit, checkpoint, isStored }) =>
        `${commit.slice(0, 7)} → ${checkpoint}${isStored ? ' (stored, but its record is unreadable)' : ''}`,
    )
  return [
    {
      id: 'dangling-link',
      severity: 'warning',
      title: `${dangling.length} of the last ${commitsWalked} commits name a checkpoint that is missing here.`,
      detail: [
        ...lines,
        ...(dangling.length > mostNamed ? [`… and ${dangling.length - mostNamed} more`] : []),
      ],
      fix:
        failures.length > 0
          ? `They may be at ${failures.join(' and ')}: run \`entire doctor\` again when that can be reached.`
          : 'No remote of this clone has them: push them from the clone that made them, with a `git push` there.',
      remedies: [],
    },
  ]
}

function describeIncomplete(incomplete: BrokenLinks['incomplete']): Finding[] {
  if (incomplete.length === 0) return []
  const lines = incomplete
    .slice(0, mostNamed)
    .map(
      ({ commit, checkpoint, lostSessions }) =>
        `${commit.slice(0, 7)} → ${checkpoint} (${lostSessions} of its sessions)`,
    )
  return [
    {
      id: 'sessions-lost',
      severity: 'warning',
      title: `${incomplete.length} of the last ${commitsWalked} commits name a checkpoint with an unreadable session.`,
      detail: [
        ...lines,
        ...(incomplete.length > mostNamed ? [`… and ${incomplete.length - mostNamed} more`] : []),
        'Its other sessions are not affected.',
      ],
      fix: `If another clone still has it, run \`git fetch <that clone> ${metadataBranch}\`, then search \`git log -p FETCH_HEAD\`.`,
      remedies: [],
    },
  ]
}

export async function checkBranches(run: DoctorRun): Promise<Finding[]> {
  const findOrphans = ({ shadows, owners }: Inventory) =>
    shadows.filter(({ ref }) => (owners.get(ref) ?? []).length === 0)
  const branches = findOrphans(await run.inventory())
  if (branches.length === 0) return []
  const apply = async () => {
    const done = await discard(run.recorder, 'doctor', { ...emptyPlan(), branches }, (now) => ({
      ...emptyPlan(),
      branches: findOrphans(now),
    }))
    return [
      ...done.branches.map(({ ref }) => `Deleted shadow branch ${branchName(ref)}`),
      `Kept for ${keptRefDays} days: entire clean --undo restores them.`,
    ]
  }
  return [
    {
      id: 'orphaned-branches',
      severity: 'warning',
      title: `Found ${countOf(branches.length, 'shadow branch', 'shadow branches')} without a session.`,
      detail: branches.slice(0, mostNamed).map(({ ref }) => branchName(ref)),
      fix: 'Run `entire clean --all`, or `entire doctor --force`.',
      remedies: [{ label: 'Delete them', apply }],
    },
  ]
}

// Earlier versions, and the reference program, fetch into refs that a killed process leaves behind.
export async function checkFetched({ repo }: DoctorRun): Promise<Finding[]> {
  const left = (await listRefs(repo, fetchedRefs)).filter(isLeftover)
  if (left.length === 0) return []
  const apply = async () => {
    await moveRefs(
      repo,
      left.map(({ ref, oid }) => ({ ref, to: undefined, from: oid })),
    )
    return [`Deleted ${countOf(left.length, 'temporary ref')}`]
  }
  return [
    {
      id: 'leftover-refs',
      severity: 'warning',
      title: `A process that no longer runs has left ${countOf(left.length, 'temporary ref')} behind.`,
      detail: left.slice(0, mostNamed).map(({ ref }) => ref),
      fix: 'Run `entire clean --all`, or `entire doctor --force`.',
      remedies: [{ label: 'Delete them', apply }],
    },
  ]
}
