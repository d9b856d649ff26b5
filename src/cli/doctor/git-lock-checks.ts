// Locks of git itself that nobody seems to hold any more. They are everybody's: only a person can know that no git is at work.
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findStat } from '../../std/file.ts'
import type { Examination } from './examination.ts'
import type { Finding } from './finding.ts'

// A commit whose message is being written may hold the one of the index for as long as that takes.
const longMs = 10 * 60_000

export async function checkGitLocks({ repo, now }: Examination): Promise<Finding[]> {
  const own = ['HEAD.lock', 'index.lock'].map((name) => join(repo.gitDir, name))
  const shared = ['packed-refs.lock', 'config.lock', 'shallow.lock', 'reftable/tables.list.lock'].map((name) => join(repo.commonDir, name))
  return [...own, ...shared, ...refLocks(join(repo.commonDir, 'refs'))].flatMap((path): Finding[] => {
    const since = findStat(path)?.mtimeMs
    const minutes = since === undefined ? 0 : Math.round((now.getTime() - since) / 60_000)
    if (since === undefined || now.getTime() - since < longMs) return []
    const name = relative(repo.gitDir, path)
    return [
      {
        id: 'git-lock',
        subject: name,
        severity: 'warning',
        title: `A lock of git has been there for ${minutes} minutes: ${name}.`,
        detail: ['While it is there, git refuses to change what it locks, for you and for us.'],
        fix: `If no git is running in this repository: rm ${path}`,
        remedies: [],
      },
    ]
  })
}

// Those of our own branches are swept up by the next turn.
function refLocks(refs: string): string[] {
  const all = readdirSync(refs, { recursive: true, encoding: 'utf8' })
  return all.filter((name) => name.endsWith('.lock') && !name.startsWith('heads/entire/')).map((name) => join(refs, name))
}
