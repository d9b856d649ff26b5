// Fetches objects that a partial clone lacks, many at a time. Git itself fetches each one when it is read.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { EntireError, isErrno } from '../std/errors.ts'
import { countOf } from '../std/plural.ts'
import { git, gitLimited } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'

const timeoutMs = 60_000

export type PrefetchBlobs = (tree: Oid, blobs: Oid[]) => Promise<void>

/** Requests that arrive before `untilIdle` resolves become one fetch. */
export function batchPrefetches(repo: Repo, untilIdle: () => Promise<void>): PrefetchBlobs {
  let isPartial: boolean | undefined
  let batch: { trees: Set<Oid>; blobs: Set<Oid>; done: Promise<void> } | undefined
  return (tree, blobs) => {
    isPartial ??= isPartialClone(repo)
    if (!isPartial || blobs.length === 0) return Promise.resolve()
    const [trees, wanted] = [batch?.trees ?? new Set<Oid>(), batch?.blobs ?? new Set<Oid>()]
    batch ??= {
      trees,
      blobs: wanted,
      done: untilIdle().then(() => {
        batch = undefined
        return fetchMissing(repo, trees, wanted)
      }),
    }
    trees.add(tree)
    for (const blob of blobs) wanted.add(blob)
    return batch.done
  }
}

// Git marks packs from a promisor remote with a file. https://git-scm.com/docs/partial-clone
export function isPartialClone(repo: Repo): boolean {
  try {
    return readdirSync(join(repo.commonDir, 'objects/pack')).some((name) => name.endsWith('.promisor'))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}

// --missing=print reports missing objects without fetching them. The fetch takes the options git itself uses
// for one.
async function fetchMissing(repo: Repo, trees: Iterable<Oid>, wanted: ReadonlySet<Oid>): Promise<void> {
  const listed = await git(
    repo,
    ['rev-list', '--objects', '--missing=print', '--no-object-names', '--stdin'],
    { stdin: lines(trees) },
  )
  const missing = listed.stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('?') && wanted.has(line.slice(1)))
    .map((line) => line.slice(1))
  if (missing.length === 0) return
  const remote = await findPromisorRemote(repo)
  const options = [
    '--no-tags',
    '--no-write-fetch-head',
    '--recurse-submodules=no',
    '--filter=blob:none',
    '--no-auto-maintenance',
    '--quiet',
  ]
  const fetched = await gitLimited(
    repo,
    ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', ...options, '--stdin', remote],
    { stdin: lines(missing), timeoutMs },
  )
  if (fetched.code !== 0) throw fetchFailure(remote, missing.length, fetched.stderr)
}

async function findPromisorRemote(repo: Repo): Promise<string> {
  const { stdout } = await git(repo, ['config', '--get-regexp', String.raw`^remote\..*\.promisor$`, 'true'], {
    accept: [1],
  })
  return /^remote\.(.+)\.promisor true$/im.exec(stdout.toString('utf8'))?.[1] ?? 'origin'
}

function fetchFailure(remote: string, count: number, stderr: string): EntireError {
  const why =
    stderr
      .trim()
      .split('\n')
      .find((line) => /^(?:fatal|error):/.test(line)) ?? 'no answer'
  return new EntireError(
    'git-failed',
    `This is a partial clone: ${countOf(count, 'file')} of stored checkpoints could not be fetched from ${remote} (${why}).`,
    {
      hint: `Make sure the remote can be reached (\`git fetch ${remote}\` shows why not), then run the command again.`,
    },
  )
}

function lines(oids: Iterable<Oid>): string {
  return [...oids].map((oid) => `${oid}\n`).join('')
}
