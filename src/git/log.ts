// History without diffs: who, when, why. One `git log`, fields separated by NUL, which a message cannot hold.
import { git } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'

export interface LogEntry {
  oid: Oid
  parents: Oid[]
  /** RFC 3339, in the author's time zone. */
  authoredAt: string
  committedAt: string
  author: string
  subject: string
  message: string
}

const fields = ['%H', '%P', '%aI', '%cI', '%an <%ae>', '%s', '%B']

/** Commits named by arguments of `git log`, newest first; none when a revision does not exist. */
export async function readLog(repo: Repo, args: string[]): Promise<LogEntry[]> {
  const result = await git(repo, ['log', '-z', `--format=${fields.join('%x00')}`, '--no-show-signature', ...args, '--'], { accept: [128] })
  return result.code === 0 ? parseLog(result.stdout.toString('utf8')) : []
}

function parseLog(output: string): LogEntry[] {
  const parts = output.split('\0')
  const entries: LogEntry[] = []
  for (let at = 0; at + fields.length <= parts.length; at += fields.length) {
    const [oid = '', parents = '', authoredAt = '', committedAt = '', author = '', subject = '', message = ''] = parts.slice(at)
    entries.push({ oid, parents: parents.split(' ').filter((parent) => parent !== ''), authoredAt, committedAt, author, subject, message })
  }
  return entries
}
