// Finds what a reset would replace: uncommitted changes, and commits after the target.

import { git } from '../../git/exec.ts'
import type { Oid } from '../../git/oid.ts'
import type { Repo } from '../../git/repo.ts'
import { readStatus } from '../../git/status.ts'
import { decodePath } from '../../std/encoding.ts'
import { clean } from '../render/text.ts'

export type ChangeKind = 'modified:' | 'added:' | 'deleted:'

export interface Uncommitted {
  path: string
  kind: ChangeKind
  /** Undefined for a binary file. */
  lines: { added: number; removed: number } | undefined
}

/** Tracked files that differ from HEAD, sorted by path; without the files of entire. */
export async function readUncommitted(repo: Repo): Promise<Uncommitted[]> {
  const status = await readStatus(repo)
  const paths = [...status.modified, ...status.deleted].filter((path) => !path.startsWith('.entire/')).sort()
  if (paths.length === 0) return []
  const [{ stdout: numbers }, { stdout: names }] = await Promise.all([
    git(repo, ['diff', '--numstat', '-z', '--no-renames', '--ignore-submodules=all', 'HEAD']),
    git(repo, ['diff', '--name-status', '-z', '--no-renames', '--ignore-submodules=all', 'HEAD']),
  ])
  const lines = parseNumbers(numbers)
  const added = parseAdded(names)
  const deleted = new Set(status.deleted)
  return paths.map((path) => ({
    path,
    kind: deleted.has(path) ? 'deleted:' : added.has(path) ? 'added:' : 'modified:',
    lines: lines.get(path),
  }))
}

export function uncommittedLines(changes: Uncommitted[]): string[] {
  const total = (side: 'added' | 'removed') =>
    changes.reduce((sum, { lines }) => sum + (lines?.[side] ?? 0), 0)
  return [
    ...changes.map(({ kind, path, lines }) => `  ${kind.padEnd(10)} ${clean(path)}${lineCounts(lines)}`),
    '',
    `Total: +${total('added')}/-${total('removed')} lines`,
  ]
}

function lineCounts(lines: Uncommitted['lines']): string {
  const { added, removed } = lines ?? { added: 0, removed: 0 }
  if (added > 0 && removed > 0) return ` (+${added}/-${removed})`
  if (added > 0) return ` (+${added})`
  return removed > 0 ? ` (-${removed})` : ''
}

const mostCommits = 1_000

/** Commits between one and HEAD, by first parents; undefined when it is not an ancestor, or too far back. */
export async function countCommitsAfter(repo: Repo, commit: Oid): Promise<number | undefined> {
  const { stdout } = await git(repo, ['rev-list', '--first-parent', `--max-count=${mostCommits + 1}`, 'HEAD'])
  const at = stdout.toString('latin1').split('\n').indexOf(commit)
  return at === -1 ? undefined : at
}

function parseNumbers(output: Buffer): Map<string, Uncommitted['lines']> {
  return new Map(
    records(output).flatMap((record): [string, Uncommitted['lines']][] => {
      const [added = '', removed = ''] = record.toString('latin1').split('\t')
      const path = decodePath(record.subarray(added.length + removed.length + 2))
      return added === '-' || added === '' ? [] : [[path, { added: Number(added), removed: Number(removed) }]]
    }),
  )
}

function parseAdded(output: Buffer): Set<string> {
  const fields = records(output)
  return new Set(
    fields.flatMap((field, index) =>
      index % 2 === 0 && field.toString('latin1') === 'A' ? [decodePath(fields[index + 1] ?? field)] : [],
    ),
  )
}

function records(output: Buffer): Buffer[] {
  const found: Buffer[] = []
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at)
    found.push(output.subarray(at, end === -1 ? output.length : end))
    at = end === -1 ? output.length : end + 1
  }
  return found
}
