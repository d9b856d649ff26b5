// How the branch of checkpoints here relates to the copies of it that remotes have, as far as was fetched.
import type { ObjectReader } from '../git/cat-file.ts'
import { git } from '../git/exec.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { metadataBranch, metadataRef } from './layout.ts'

export interface MetadataCopy {
  remote: string
  oid: Oid
  /** `diverged`: both have checkpoints that the other has not. `unrelated`: they do not even begin with the same commit. */
  relation: 'connected' | 'diverged' | 'unrelated'
}

export interface MetadataHealth {
  /** `unreadable`: the branch is there, but its commit or tree is not. */
  local: 'absent' | 'readable' | 'unreadable'
  copies: MetadataCopy[]
}

export async function readMetadataHealth(repo: Repo, objects: ObjectReader): Promise<MetadataHealth> {
  const refs = await listRefs(repo, metadataRef, `refs/remotes/*/${metadataBranch}`)
  const local = refs.find(({ ref }) => ref === metadataRef)?.oid
  const remotes = refs.filter(({ ref }) => ref !== metadataRef)
  const isReadable = local !== undefined && (await objects.info(`${local}^{tree}`)) !== undefined
  const copies = remotes.map(async ({ ref, oid }): Promise<MetadataCopy> => {
    const remote = ref.slice('refs/remotes/'.length, -metadataBranch.length - 1)
    return { remote, oid, relation: isReadable ? await relate(repo, local, oid) : 'connected' }
  })
  return { local: isReadable ? 'readable' : await describeAbsence(repo, local), copies: await Promise.all(copies) }
}

async function relate(repo: Repo, ours: Oid, theirs: Oid): Promise<MetadataCopy['relation']> {
  if (ours === theirs) return 'connected'
  const result = await git(repo, ['merge-base', ours, theirs], { accept: [1] })
  if (result.code === 1) return 'unrelated'
  const base = result.stdout.toString('latin1').trim()
  return base === ours || base === theirs ? 'connected' : 'diverged'
}

// Git leaves a ref that it cannot read out of its lists; asked for it by name it warns.
async function describeAbsence(repo: Repo, local: Oid | undefined): Promise<'absent' | 'unreadable'> {
  if (local !== undefined) return 'unreadable'
  const { stderr } = await git(repo, ['rev-parse', '--verify', metadataRef], { accept: [128] })
  return stderr.includes('broken ref') ? 'unreadable' : 'absent'
}
