// Fetches objects that a partial clone lacks, many at a time. Git itself fetches each one when it is read.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { EntireError, isErrno } from '../std/errors.ts'
import type { LimitedResult } from '../std/limited-process.ts'
import { countOf } from '../std/plural.ts'
import { git, gitLimited } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'

const timeoutMs = 60_000
const mostAttempts = 8

export type PrefetchBlobs = (tree: Oid, blobs: Oid[]) => Promise<void>

/** The blobs that could not be fetched, and why: nobody tries it again. */
export type Unfetched = Map<Oid, EntireError>

/**
 * Requests that arrive before `untilIdle` resolves become one fetch. Each throws `not-fetched` if one of its own
 * blobs could not be had.
 */
export function batchPrefetches(
  repo: Repo,
  untilIdle: () => Promise<void>,
  unfetched: Unfetched,
): PrefetchBlobs {
  let isPartial: boolean | undefined
  let batch: { trees: Set<Oid>; blobs: Set<Oid>; done: Promise<void> } | undefined
  return async (tree, blobs) => {
    isPartial ??= isPartialClone(repo)
    if (!isPartial || blobs.length === 0) return
    const [trees, wanted] = [batch?.trees ?? new Set<Oid>(), batch?.blobs ?? new Set<Oid>()]
    batch ??= {
      trees,
      blobs: wanted,
      done: untilIdle().then(() => {
        batch = undefined
        return fetchMissing(repo, trees, wanted, unfetched)
      }),
    }
    trees.add(tree)
    for (const blob of blobs) if (!unfetched.has(blob)) wanted.add(blob)
    await batch.done
    for (const blob of blobs) {
      const why = unfetched.get(blob)
      if (why !== undefined) throw why
    }
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
async function fetchMissing(
  repo: Repo,
  trees: Iterable<Oid>,
  wanted: ReadonlySet<Oid>,
  unfetched: Unfetched,
): Promise<void> {
  const listed = await git(
    repo,
    ['rev-list', '--objects', '--missing=print', '--no-object-names', '--stdin'],
    { stdin: lines(trees) },
  )
  let missing = listed.stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('?') && wanted.has(line.slice(1)))
    .map((line) => line.slice(1))
  if (missing.length === 0) return
  const remote = await findPromisorRemote(repo)
  for (let attempt = 1; missing.length > 0; attempt += 1) {
    const { code, stderr } = await fetchBlobs(repo, remote, missing)
    if (code === 0) return
    // A remote that has lost a blob names it; it may have the others.
    const named = attempt < mostAttempts ? missing.filter((oid) => stderr.includes(oid)) : []
    const lost = named.length === 0 ? missing : named
    for (const oid of lost) unfetched.set(oid, fetchFailure(remote, lost.length, stderr))
    missing = missing.filter((oid) => !lost.includes(oid))
  }
}

function fetchBlobs(repo: Repo, remote: string, blobs: Oid[]): Promise<LimitedResult> {
  const options = [
    '--no-tags',
    '--no-write-fetch-head',
    '--recurse-submodules=no',
    '--filter=blob:none',
    '--no-auto-maintenance',
    '--quiet',
  ]
  return gitLimited(repo, ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', ...options, '--stdin', remote], {
    stdin: lines(blobs),
    timeoutMs,
  })
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
    'not-fetched',
    `This is a partial clone: ${countOf(count, 'file')} of stored checkpoints could not be fetched from ${remote} (${why}).`,
    {
      hint: `Make sure the remote can be reached (\`git fetch ${remote}\` shows why not), then run the command again.`,
    },
  )
}

function lines(oids: Iterable<Oid>): string {
  return [...oids].map((oid) => `${oid}\n`).join('')
}
