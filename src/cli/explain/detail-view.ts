// One checkpoint in full: who asked for what, when, what was said, and which commits hold the work.
import { formatSession } from '../../checkpoints/record.ts'
import { formatTokens } from '../../checkpoints/token-record.ts'
import type { LogEntry } from '../../git/log.ts'
import { type TokenUsage, totalTokens } from '../../model/tokens.ts'
import type { JsonObject } from '../../std/json.ts'
import { clean, cut } from '../render/text.ts'
import { localTime } from '../render/time.ts'
import type { Scope } from './conversation.ts'
import type { CheckpointDetail, SessionDetail } from './detail.ts'
import type { Look } from './look.ts'
import { summaryLines } from './summary-view.ts'
import { transcriptLines } from './transcript-view.ts'

export interface DetailShape extends Look {
  /** How much of the conversation is shown. */
  scope: Scope | 'none'
}

const headings: Record<Scope, string> = { checkpoint: 'Transcript (checkpoint scope):', full: 'Transcript (full session):' }

export function detailLines({ checkpoint, sessions, commits, author }: CheckpointDetail, shape: DetailShape): string[] {
  const last = sessions.at(-1)
  const others = sessions.slice(0, -1).reverse()
  return [
    `Checkpoint: ${shape.paint('cyan', checkpoint.checkpoint)}`,
    ...(last ? sessionHead(last) : []),
    ...(author === undefined ? [] : [`Author: ${clean(author)}`]),
    ...tokenLines(checkpoint.tokens ?? last?.session.tokens),
    '',
    ...commitLines(commits),
    '',
    ...summaryLines(last?.session.summary, intentOf(last)),
    ...(shape.scope === 'none' ? [] : ['', ...list('Files', checkpoint.files)]),
    ...conversationLines(last, shape),
    ...(others.length === 0 ? [] : ['', `Other sessions of this checkpoint: (${others.length})`]),
    ...others.flatMap((other) => [
      '',
      ...sessionHead(other),
      ...tokenLines(other.session.tokens),
      ...summaryLines(other.session.summary, intentOf(other)),
      ...conversationLines(other, shape),
    ]),
  ]
}

export function detailJson({ checkpoint, sessions, commits, author }: CheckpointDetail, scope: DetailShape['scope']): JsonObject {
  return {
    checkpoint_id: checkpoint.checkpoint,
    strategy: checkpoint.strategy,
    ...(checkpoint.branch === undefined ? {} : { branch: checkpoint.branch }),
    ...(author === undefined ? {} : { author }),
    files_touched: checkpoint.files,
    ...(checkpoint.tokens === undefined ? {} : { token_usage: formatTokens(checkpoint.tokens) }),
    sessions: sessions.map((detail) => sessionJson(detail, scope)),
    commits: commits.map((commit) => ({ id: commit.oid, date: commit.committedAt, author: commit.author, message: commit.subject })),
  }
}

function sessionJson({ session, prompts, conversation }: SessionDetail, scope: DetailShape['scope']): JsonObject {
  const shown = scope === 'none' ? undefined : conversation
  return {
    ...formatSession(session),
    prompts,
    ...(shown === undefined ? {} : { transcript: shown.entries.map((entry) => ({ ...entry })) }),
    ...(shown?.problem === undefined ? {} : { transcript_problem: shown.problem }),
  }
}

function sessionHead({ session }: SessionDetail): string[] {
  const model = session.model === undefined ? '' : ` (${clean(session.model)})`
  return [
    `Session: ${clean(session.session)}`,
    ...(session.agent === undefined ? [] : [`Agent: ${clean(session.agent)}${model}`]),
    ...(session.createdAt === '' ? [] : [`Created: ${clean(localTime(session.createdAt))}`]),
  ]
}

// A transcript that cannot be read leaves the stored prompts.
function intentOf(detail: SessionDetail | undefined): string | undefined {
  return detail?.conversation?.asked ?? detail?.prompts[0]
}

function tokenLines(tokens: TokenUsage | undefined): string[] {
  return tokens === undefined ? [] : [`Tokens: ${totalTokens(tokens)}`]
}

function commitLines(commits: LogEntry[]): string[] {
  if (commits.length === 0) return ['Commits: No commits found on this branch']
  const lines = commits.map(
    (commit) => `  ${commit.oid.slice(0, 7)} ${localTime(commit.committedAt).slice(0, 10)} ${cut(commit.subject, 80)}`,
  )
  return [`Commits: (${commits.length})`, ...lines]
}

function conversationLines(detail: SessionDetail | undefined, shape: DetailShape): string[] {
  if (shape.scope === 'none' || detail?.conversation === undefined) return []
  return ['', headings[shape.scope], ...transcriptLines(detail.conversation, shape)]
}

function list(title: string, items: string[]): string[] {
  return items.length === 0 ? [`${title}: (none)`] : [`${title}: (${items.length})`, ...items.map((item) => `  - ${clean(item)}`)]
}
