// Remembers what was purged, so that no merge with a remote brings it back: the commits that were rewritten or
// left out, and the ids of checkpoints.

import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../git/exec.ts'
import type { Oid } from '../git/oid.ts'
import { outOfTime, remoteTimeoutMs } from '../git/remote.ts'
import type { Repo } from '../git/repo.ts'
import { EntireError } from '../std/errors.ts'
import { readText, writeAtomic } from '../std/file.ts'
import { asObject, asString, asStrings, parseJson } from '../std/json.ts'
import { shellWord } from '../std/shell.ts'
import { branchName } from './layout.ts'

export interface Purged {
  commits: Oid[]
  checkpoints: string[]
  /** A purge that was interrupted after it had begun to change something. */
  unfinished?: UnfinishedPurge
}

export interface UnfinishedPurge {
  kind: string
  /** Of a checkpoint or a session. A secret is not written down. */
  id?: string
  objects: Oid[]
}

export function readPurged(repo: Pick<Repo, 'commonDir'>): Purged {
  const record = asObject(parseJson(readText(purgedFile(repo)) ?? ''))
  if (record === undefined) return { commits: [], checkpoints: [] }
  const unfinished = asObject(record.unfinished)
  const id = asString(unfinished?.id)
  return {
    commits: asStrings(record.commits),
    checkpoints: asStrings(record.checkpoints),
    ...(unfinished === undefined
      ? {}
      : {
          unfinished: {
            kind: asString(unfinished.kind) ?? '',
            objects: asStrings(unfinished.objects),
            ...(id === undefined ? {} : { id }),
          },
        }),
  }
}

export function writePurged(repo: Repo, purged: Purged): void {
  writeAtomic(purgedFile(repo), JSON.stringify(purged), { sync: true })
}

function purgedFile({ commonDir }: Pick<Repo, 'commonDir'>): string {
  return join(commonDir, 'entire-purged.json')
}

/** Refuses to take in commits that were purged here. */
export async function refusePurged(repo: Repo, ours: Oid, theirs: Oid): Promise<void> {
  const { commits } = readPurged(repo)
  if (commits.length > 0 && (await hasAny(repo, commits, [theirs, `^${ours}`], {})))
    throw new EntireError('exists', 'The other copy of the checkpoints still has what was purged here.', {
      hint: 'Replace it: `entire purge` lists the commands.',
    })
}

/**
 * Where the remote has a ref with something in its history that was purged here; undefined when it has not. What
 * has to be fetched to find out is thrown away again: it may be what was purged.
 */
export async function findPurgedAt(repo: Repo, remote: string, ref: string): Promise<Oid | undefined> {
  const { commits } = readPurged(repo)
  if (commits.length === 0) return undefined
  const options = { accept: [1, 128, ...outOfTime], timeoutMs: remoteTimeoutMs }
  const listed = await git(repo, ['ls-remote', '--quiet', '--', remote, ref], options)
  const oid = /^(\w+)\t/.exec(listed.stdout.toString('latin1'))?.[1]
  if (oid === undefined || commits.includes(oid)) return oid
  const aside = mkdtempSync(join(repo.commonDir, `${asidePrefix}${process.pid}-`))
  const env = {
    GIT_OBJECT_DIRECTORY: aside,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repo.commonDir, 'objects'),
  }
  try {
    const flags = ['--no-tags', '--no-write-fetch-head', '--quiet', '--no-auto-gc', '--refmap=']
    const fetched = await git(repo, ['fetch', ...flags, '--', remote, ref], { ...options, env })
    return fetched.code === 0 && (await hasAny(repo, commits, [oid], env)) ? oid : undefined
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

/** The directories in which fetched objects are looked at. A killed process leaves one. */
export const asidePrefix = 'entire-fetched-'

async function hasAny(
  repo: Repo,
  commits: Oid[],
  revisions: string[],
  env: Record<string, string>,
): Promise<boolean> {
  const wanted = new Set(commits)
  const { stdout } = await git(repo, ['rev-list', ...revisions, '--'], { env })
  return stdout
    .toString('latin1')
    .split('\n')
    .some((oid) => wanted.has(oid))
}

/** What to type to replace a ref on a remote by the local one, or to delete it, unless it has moved. */
export function replaceCommand(
  remote: string,
  ref: string,
  { at, isHere }: { at: Oid; isHere: boolean },
): string {
  const name = branchName(ref)
  const lease = shellWord(`--force-with-lease=${name}:${at}`)
  return `git push ${lease} ${shellWord(remote)} ${shellWord(`${isHere ? '' : ':'}${name}`)}`
}
