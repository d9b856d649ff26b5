// From what a person typed to a checkpoint: an id or its beginning, or a commit.
import { linkCheckpoints } from '../../checkpoints/links.ts'
import { findCheckpointIds, readCheckpoint, readPrompts, type StoredCheckpoint } from '../../checkpoints/read.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { type LogEntry, readLog } from '../../git/log.ts'
import type { Repo } from '../../git/repo.ts'
import { EntireError } from '../../std/errors.ts'
import type { CheckpointDetail } from './detail-view.ts'

const commitsSearched = 500

export async function findByPrefix(repo: Repo, objects: ObjectReader, prefix: string): Promise<StoredCheckpoint> {
  const ids = await findCheckpointIds(repo, objects, prefix)
  const exact = ids.find((id) => id === prefix)
  if (ids.length > 1 && exact === undefined) {
    throw new EntireError(
      'bad-id',
      `ambiguous checkpoint prefix "${prefix}" matches ${ids.length} checkpoints: ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`,
      {
        hint: 'Type more of the id.',
      },
    )
  }
  const id = exact ?? ids[0]
  const checkpoint = id === undefined || prefix === '' ? undefined : await readCheckpoint(objects, id)
  if (checkpoint !== undefined) return checkpoint
  throw new EntireError('not-found', `checkpoint not found: ${prefix}`, {
    hint: 'Run `entire explain` to see the checkpoints of this branch. Those of others must be fetched first: `git fetch origin entire/checkpoints/v1`.',
  })
}

export interface CommitTarget {
  commit: LogEntry
  ids: string[]
}

export async function findCommit(repo: Repo, objects: ObjectReader, name: string): Promise<CommitTarget> {
  const commit = name.startsWith('-') ? undefined : (await readLog(repo, ['-1', name]))[0]
  if (commit === undefined) throw new EntireError('not-found', `commit not found: ${name}`)
  return { commit, ids: (await linkCheckpoints(objects, [commit]))[0]?.checkpoints ?? [] }
}

export async function readDetail(repo: Repo, objects: ObjectReader, checkpoint: StoredCheckpoint): Promise<CheckpointDetail> {
  const history = await readLog(repo, [`-${commitsSearched}`, 'HEAD'])
  const [links, prompts] = await Promise.all([
    linkCheckpoints(objects, history),
    Promise.all(checkpoint.sessions.map((session) => readPrompts(objects, session))),
  ])
  return {
    checkpoint,
    prompts,
    commits: links.filter((link) => link.checkpoints.includes(checkpoint.checkpoint)).map((link) => link.commit),
  }
}
