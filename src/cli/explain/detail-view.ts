// One checkpoint in full: who asked for what, when, and which commits hold the work.
import type { StoredCheckpoint } from '../../checkpoints/read.ts'
import { formatSession } from '../../checkpoints/record.ts'
import { formatTokens } from '../../checkpoints/token-record.ts'
import type { LogEntry } from '../../git/log.ts'
import type { CheckpointSummary } from '../../model/checkpoint.ts'
import { totalTokens } from '../../model/tokens.ts'
import type { JsonObject } from '../../std/json.ts'
import { clean, cut } from '../render/text.ts'
import { localTime } from '../render/time.ts'

export interface CheckpointDetail {
  checkpoint: StoredCheckpoint
  /** Prompts of each session. */
  prompts: string[][]
  commits: LogEntry[]
}

export function detailLines({ checkpoint, prompts, commits }: CheckpointDetail): string[] {
  const session = checkpoint.sessions.at(-1)
  const tokens = checkpoint.tokens ?? session?.tokens
  return [
    `Checkpoint: ${checkpoint.checkpoint}`,
    ...checkpoint.sessions.map((each) => `Session: ${clean(each.session)}${each.agent ? ` (${clean(each.agent)})` : ''}`),
    ...(session ? [`Created: ${localTime(session.createdAt)}`] : []),
    ...(commits[0] ? [`Author: ${clean(commits[0].author)}`] : []),
    ...(tokens ? [`Tokens: ${totalTokens(tokens)}`] : []),
    '',
    ...commitLines(commits),
    '',
    ...summaryLines(session?.summary, prompts.at(-1)?.[0]),
    '',
    ...list('Files', checkpoint.files),
  ]
}

export function detailJson({ checkpoint, prompts, commits }: CheckpointDetail): JsonObject {
  return {
    checkpoint_id: checkpoint.checkpoint,
    strategy: checkpoint.strategy,
    ...(checkpoint.branch === undefined ? {} : { branch: checkpoint.branch }),
    files_touched: checkpoint.files,
    ...(checkpoint.tokens === undefined ? {} : { token_usage: formatTokens(checkpoint.tokens) }),
    sessions: checkpoint.sessions.map((session, index) => ({ ...formatSession(session), prompts: prompts[index] ?? [] })),
    commits: commits.map((commit) => ({ id: commit.oid, date: commit.committedAt, author: commit.author, message: commit.subject })),
  }
}

function commitLines(commits: LogEntry[]): string[] {
  if (commits.length === 0) return ['Commits: No commits found on this branch']
  const lines = commits.map(
    (commit) => `  ${commit.oid.slice(0, 7)} ${localTime(commit.committedAt).slice(0, 10)} ${cut(commit.subject, 80)}`,
  )
  return [`Commits: (${commits.length})`, ...lines]
}

function summaryLines(summary: CheckpointSummary | undefined, prompt: string | undefined): string[] {
  if (summary === undefined) return [`Intent: ${prompt === undefined ? '(unknown)' : cut(prompt, 80)}`, 'Outcome: (not generated)']
  const { repo, code, workflow } = summary.learnings
  const findings = code.map(
    ({ path, line, endLine, finding }) => `${path}${line ? `:${line}` : ''}${endLine ? `-${endLine}` : ''}: ${finding}`,
  )
  const learnings = [
    ...section('  Repository:', repo, '    '),
    ...section('  Code:', findings, '    '),
    ...section('  Workflow:', workflow, '    '),
  ]
  return [
    `Intent: ${clean(summary.intent)}`,
    `Outcome: ${clean(summary.outcome)}`,
    ...(learnings.length > 0 ? ['', 'Learnings:', ...learnings] : []),
    ...section('Friction:', summary.friction),
    ...section('Open Items:', summary.openItems),
  ]
}

function section(title: string, items: string[], indent = '  '): string[] {
  return items.length === 0 ? [] : [title, ...items.map((item) => `${indent}- ${clean(item)}`)]
}

function list(title: string, items: string[]): string[] {
  return items.length === 0 ? [`${title}: (none)`] : [`${title}: (${items.length})`, ...items.map((item) => `  - ${clean(item)}`)]
}
