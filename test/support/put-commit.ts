// Puts a commit with given files on a ref, without touching index or work tree: for tests that read foreign
// data.
import { startFastImport } from '../../src/git/fast-import.ts'
import { listRefs } from '../../src/git/refs.ts'
import type { Repo } from '../../src/git/repo.ts'

export interface PutCommit {
  message?: string
  seconds?: number
  /** Values that are not strings are written as JSON. */
  files: Record<string, unknown>
}

export async function putCommit(
  repo: Repo,
  ref: string,
  { message = 'test', seconds = 1_770_000_000, files }: PutCommit,
): Promise<string> {
  const tip = (await listRefs(repo, ref))[0]?.oid
  const save = startFastImport(repo)
  const mark = save.commit({
    ref,
    parent: tip,
    message,
    author: { name: 'Test', email: 'test@example.com' },
    seconds,
    changes: Object.entries(files).map(([path, content]) => ({
      path,
      mode: '100644',
      content: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
    })),
  })
  const oid = await save.oidOf(mark)
  await save.finish()
  return oid
}
