// Reads history without diffs through one `git log`. Fields are separated by NUL, which a message cannot
// contain.

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
  return (await readFields(repo, args, fields)).map(parseEntry)
}

export interface BranchCommit extends LogEntry {
  /** A branch that contains the commit. */
  branch: string
}

/** The last commits of all branches except those below a prefix, newest first. */
export async function readBranchLog(
  repo: Repo,
  options: { count: number; without: string },
): Promise<BranchCommit[]> {
  const args = [`-${options.count}`, '--first-parent', `--exclude=${options.without}/*`, '--branches']
  const rows = await readFields(repo, args, [...fields, '%S'])
  return rows.map((row) => ({ ...parseEntry(row), branch: (row.at(-1) ?? '').replace(/^refs\/heads\//, '') }))
}

async function readFields(repo: Repo, args: string[], names: string[]): Promise<string[][]> {
  const result = await git(
    repo,
    ['log', '-z', `--format=${names.join('%x00')}`, '--no-show-signature', ...args, '--'],
    { accept: [128] },
  )
  const parts = result.code === 0 ? result.stdout.toString('utf8').split('\0') : []
  return Array.from({ length: Math.floor(parts.length / names.length) }, (_, row) =>
    parts.slice(row * names.length, (row + 1) * names.length),
  )
}

function parseEntry(row: string[]): LogEntry {
  const [oid = '', parents = '', authoredAt = '', committedAt = '', author = '', subject = '', message = ''] =
    row
  return {
    oid,
    parents: parents.split(' ').filter((parent) => parent !== ''),
    authoredAt,
    committedAt,
    author,
    subject,
    message,
  }
}
