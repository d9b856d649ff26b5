// The commit that was just made and what it changed, read with the objects of an event: no process of its own.
import { readCurrentBranch } from './branches.ts'
import type { ObjectReader } from './cat-file.ts'
import type { ChangedFile, CommitInfo } from './commit.ts'
import type { Repo } from './repo.ts'
import { changedFiles } from './tree-walk.ts'

/** Undefined when there is no commit. */
export async function readHeadCommit(repo: Repo, objects: ObjectReader): Promise<CommitInfo | undefined> {
  const [head, files, still, branch] = await Promise.all([
    objects.contents('HEAD'),
    changedBy(objects, 'HEAD'),
    objects.info('HEAD'),
    readCurrentBranch(repo),
  ])
  if (head?.type !== 'commit') return undefined
  const text = head.content.toString('utf8')
  const end = text.indexOf('\n\n')
  const header = end === -1 ? text : text.slice(0, end)
  const values = (key: string) => header.split('\n').flatMap((line) => (line.startsWith(`${key} `) ? line.slice(key.length + 1) : []))
  return {
    oid: head.oid,
    parents: values('parent'),
    branch,
    committedAt: Number(/ (\d+) [+-]\d+$/.exec(values('committer')[0] ?? '')?.[1] ?? 0),
    message: end === -1 ? '' : text.slice(end + 2),
    // Somebody may have moved HEAD between our questions.
    files: still?.oid === head.oid ? files : await changedBy(objects, head.oid),
  }
}

async function changedBy(objects: ObjectReader, commit: string): Promise<ChangedFile[]> {
  return await changedFiles(objects, `${commit}^1^{tree}`, `${commit}^{tree}`)
}
