// What is stored: the branch of checkpoints and its copies, links that lead nowhere, branches of steps that nobody owns.

import { type BrokenLinks, findBrokenLinks, readMetadataHealth } from '../../checkpoints/health.ts'
import { branchName, metadataBranch, metadataRef } from '../../checkpoints/layout.ts'
import { mergeWith } from '../../checkpoints/sync-ref.ts'
import { discard, emptyPlan } from '../../cleanup/clean.ts'
import type { Inventory } from '../../cleanup/inventory.ts'
import { readConfig } from '../../git/config.ts'
import { keptDays } from '../../sessions/kept-refs.ts'
import type { Examination, Finding } from './examination.ts'

const commitsWalked = 200
const named = 10

export async function checkMetadata(exam: Examination): Promise<Finding[]> {
  const { repo, objects, recorder } = exam
  const { local, copies } = await readMetadataHealth(repo, objects)
  const broken: Finding = {
    id: 'metadata-unreadable',
    severity: 'error',
    title: `The branch ${metadataBranch} cannot be read.`,
    detail: ['New checkpoints cannot be stored, and old ones cannot be shown.'],
    fix: `\`git fsck\` shows what is missing. If a remote has the branch: git fetch <remote> +${metadataBranch}:${metadataBranch}`,
    remedies: [],
  }
  const relations = copies.flatMap(({ remote, oid, relation }): Finding[] => {
    if (relation === 'connected') return []
    const base = { subject: remote, detail: [`Local branch: ${metadataBranch}, remote: ${remote}`] }
    if (relation === 'diverged')
      return [
        {
          ...base,
          id: 'metadata-diverged',
          severity: 'info',
          title: `Here and on ${remote} there are checkpoints that the other side does not have.`,
          fix: 'Nothing: the next `git push` puts both together.',
          remedies: [],
        },
      ]
    const merge = async () => {
      const sync = {
        repo,
        objects,
        remote,
        label: remote,
        ref: metadataRef,
        clock: recorder.clock,
        say: () => {},
      }
      await mergeWith({ ...sync, author: (await readConfig(repo)).author }, oid)
      return [`Merged the checkpoints of ${remote} into ${metadataBranch}`]
    }
    return [
      {
        ...base,
        id: 'metadata-disconnected',
        severity: 'warning',
        title: `The checkpoints here and those on ${remote} have no common beginning.`,
        detail: [
          ...base.detail,
          'Both sides began a history of their own. Putting them together loses nothing of either.',
        ],
        fix: 'The next `git push` puts them together; `entire doctor --force` does it now',
        remedies: [{ label: 'Put both histories together', apply: merge }],
      },
    ]
  })
  return [...(local === 'unreadable' ? [broken] : []), ...relations]
}

export async function checkLinks({ repo, objects }: Examination): Promise<Finding[]> {
  const { dangling, incomplete } = await findBrokenLinks(repo, objects, commitsWalked)
  return [...describeDangling(dangling), ...describeIncomplete(incomplete)]
}

function describeDangling(dangling: BrokenLinks['dangling']): Finding[] {
  if (dangling.length === 0) return []
  const lines = dangling
    .slice(0, named)
    .map(
      ({ commit, checkpoint, isStored }) =>
        `${commit.slice(0, 7)} → ${checkpoint}${isStored ? ' (stored, but its record cannot be read)' : ''}`,
    )
  return [
    {
      id: 'dangling-link',
      severity: 'warning',
      title: `${dangling.length} of the last ${commitsWalked} commits name a checkpoint that is not here.`,
      detail: [...lines, ...(dangling.length > named ? [`… and ${dangling.length - named} more`] : [])],
      fix: `If they were made elsewhere, fetch them: git fetch origin ${metadataBranch}:refs/remotes/origin/${metadataBranch}`,
      remedies: [],
    },
  ]
}

function describeIncomplete(incomplete: BrokenLinks['incomplete']): Finding[] {
  if (incomplete.length === 0) return []
  const lines = incomplete
    .slice(0, named)
    .map(
      ({ commit, checkpoint, lostSessions }) =>
        `${commit.slice(0, 7)} → ${checkpoint} (${lostSessions} of its sessions)`,
    )
  return [
    {
      id: 'sessions-lost',
      severity: 'warning',
      title: `${incomplete.length} of the last ${commitsWalked} commits name a checkpoint of which a session cannot be read.`,
      detail: [
        ...lines,
        ...(incomplete.length > named ? [`… and ${incomplete.length - named} more`] : []),
        'Its other sessions are not affected.',
      ],
      fix: `If another clone still has it: git fetch <that clone> ${metadataBranch}, then look for it with git log -p FETCH_HEAD`,
      remedies: [],
    },
  ]
}

export async function checkBranches(exam: Examination): Promise<Finding[]> {
  const findOrphans = ({ shadows, owners }: Inventory) =>
    shadows.filter(({ ref }) => (owners.get(ref) ?? []).length === 0)
  const branches = findOrphans(await exam.inventory())
  if (branches.length === 0) return []
  const apply = async () => {
    const done = await discard(exam.recorder, 'doctor', { ...emptyPlan, branches }, (now) => ({
      ...emptyPlan,
      branches: findOrphans(now),
    }))
    return [
      ...done.branches.map(({ ref }) => `Deleted shadow branch ${branchName(ref)}`),
      `Kept for ${keptDays} days: entire clean --undo brings them back.`,
    ]
  }
  return [
    {
      id: 'orphaned-branches',
      severity: 'warning',
      title: `${branches.length} shadow branch(es) belong to no session.`,
      detail: branches.slice(0, named).map(({ ref }) => branchName(ref)),
      fix: '`entire clean --all`, or `entire doctor --force`',
      remedies: [{ label: 'Delete them', apply }],
    },
  ]
}
