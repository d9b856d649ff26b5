// Reads everything about one checkpoint and formats it: sessions, commits, summary, files, conversation.

import { ownRef, remoteMetadataRef } from '../../checkpoints/copies.ts'
import { metadataRef } from '../../checkpoints/layout.ts'
import { readNotes } from '../../checkpoints/links.ts'
import { ownPrompt } from '../../checkpoints/prompt-files.ts'
import { readStoredPrompts, type StoredCheckpoint, type StoredSession } from '../../checkpoints/read.ts'
import { formatSessionRecord, formatTokenRecord } from '../../checkpoints/record.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { type LogEntry, readLog } from '../../git/log.ts'
import type { Repo } from '../../git/repo.ts'
import { checkpointTrailer, readCheckpointIds } from '../../git/trailers.ts'
import type { CheckpointSummary } from '../../model/checkpoint.ts'
import { type TokenUsage, totalTokens } from '../../model/tokens.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { countOf } from '../../std/plural.ts'
import { prefetch } from '../../std/prefetch.ts'
import { localTime } from '../render/numbers.ts'
import { clean, cut } from '../render/text.ts'
import {
  type Look,
  readStoredConversation,
  type Scope,
  type StoredConversation,
  transcriptLines,
} from './conversation.ts'

const commitsSearched = 500

export interface SessionDetail {
  session: StoredSession
  prompts: string[]
  /** Undefined when it is not needed. */
  conversation?: StoredConversation
}

export interface CheckpointDetail {
  checkpoint: StoredCheckpoint
  /** In the order they were added; the last one represents the checkpoint. */
  sessions: SessionDetail[]
  commits: LogEntry[]
  author: string | undefined
}

export interface DetailOptions {
  scope: Scope | 'none'
  /** Commits that may belong to the checkpoint. */
  history: Promise<LogEntry[]>
  /** A commit that does, on any branch. */
  commit?: LogEntry
}

/** Recent commits of this branch, or with `everything` all commits of all branches that name a checkpoint. */
export function readHistory(repo: Repo, everything: boolean): Promise<LogEntry[]> {
  const all = [
    '--exclude=entire/*',
    '--branches',
    '--remotes',
    '--tags',
    'HEAD',
    '--fixed-strings',
    `--grep=${checkpointTrailer}: `,
  ]
  return prefetch(readLog(repo, everything ? all : [`-${commitsSearched}`, 'HEAD']))
}

export async function readCheckpointDetail(
  repo: Repo,
  objects: ObjectReader,
  checkpoint: StoredCheckpoint,
  options: DetailOptions,
): Promise<CheckpointDetail> {
  const [commits, sessions] = await Promise.all([
    readCommits(objects, checkpoint.checkpoint, options),
    Promise.all(checkpoint.sessions.map((session) => readSession(objects, session, options.scope))),
  ])
  return {
    checkpoint,
    sessions,
    commits,
    author: commits[0]?.author ?? (await readAuthor(repo, checkpoint.checkpoint)),
  }
}

async function readSession(
  objects: ObjectReader,
  session: StoredSession,
  scope: DetailOptions['scope'],
): Promise<SessionDetail> {
  // Without a summary the intent is the first prompt, which is found in the transcript.
  const needed = scope !== 'none' ? scope : session.summary === undefined ? 'checkpoint' : undefined
  const [prompts, conversation] = await Promise.all([
    readStoredPrompts(objects, session),
    needed === undefined ? undefined : readStoredConversation(objects, session, needed),
  ])
  return { session, prompts, ...given({ conversation }) }
}

async function readCommits(
  objects: ObjectReader,
  id: string,
  { history, commit }: DetailOptions,
): Promise<LogEntry[]> {
  const notes = await readNotes(objects)
  // Parses trailers only of messages that contain the id.
  const isLinked = ({ oid, message }: LogEntry) =>
    notes.get(oid)?.includes(id) || (message.includes(id) && readCheckpointIds(message).includes(id))
  const commits = (await history).filter(isLinked)
  return commit === undefined || commits.some(({ oid }) => oid === commit.oid)
    ? commits
    : [commit, ...commits]
}

// For a checkpoint of another branch: its author also made the commit.
async function readAuthor(repo: Repo, id: string): Promise<string | undefined> {
  for (const ref of [metadataRef, remoteMetadataRef, ownRef(id)]) {
    const [commit] = await readLog(repo, ['-1', '--fixed-strings', `--grep=Checkpoint: ${id}`, ref])
    if (commit !== undefined) return commit.author
  }
  return undefined
}

export interface DetailShape extends Look {
  /** The part of the conversation that is shown. */
  scope: Scope | 'none'
}

const headings: Record<Scope, string> = {
  checkpoint: 'Transcript (checkpoint scope):',
  full: 'Transcript (full session):',
}

export function checkpointLines(
  { checkpoint, sessions, commits, author }: CheckpointDetail,
  shape: DetailShape,
): string[] {
  const last = sessions.at(-1)
  const others = sessions.slice(0, -1).reverse()
  return [
    `Checkpoint: ${shape.paint('cyan', checkpoint.checkpoint)}`,
    ...(last ? sessionHead(last) : []),
    ...(author === undefined ? [] : [`Author: ${clean(author)}`]),
    ...tokenLines(checkpoint.tokens ?? last?.session.tokens),
    ...redactionLines(last?.session.redactions),
    '',
    ...commitLines(commits),
    '',
    ...summaryLines(last?.session.summary, intentOf(last)),
    ...(shape.scope === 'none' ? [] : ['', ...list('Files', fileLines(checkpoint.files, sessions))]),
    ...conversationLines(last, shape),
    ...(others.length === 0 ? [] : ['', `Other sessions of this checkpoint: (${others.length})`]),
    ...others.flatMap((other) => [
      '',
      ...sessionHead(other),
      ...tokenLines(other.session.tokens),
      ...redactionLines(other.session.redactions),
      ...summaryLines(other.session.summary, intentOf(other)),
      ...conversationLines(other, shape),
    ]),
  ]
}

// A file that several sessions may have changed at once.
function fileLines(files: string[], sessions: SessionDetail[]): string[] {
  const shared = new Set(sessions.flatMap(({ session }) => session.sharedFiles ?? []))
  return files.map((path) => (shared.has(path) ? `${path} (shared by sessions at work at once)` : path))
}

export function checkpointJson(
  { checkpoint, sessions, commits, author }: CheckpointDetail,
  scope: DetailShape['scope'],
): JsonObject {
  return {
    checkpoint_id: checkpoint.checkpoint,
    strategy: checkpoint.strategy,
    ...given({ branch: checkpoint.branch, author }),
    files_touched: checkpoint.files,
    ...given({ token_usage: checkpoint.tokens && formatTokenRecord(checkpoint.tokens) }),
    sessions: sessions.map((detail) => sessionJson(detail, scope)),
    commits: commits.map((commit) => ({
      id: commit.oid,
      date: commit.committedAt,
      author: commit.author,
      message: commit.subject,
    })),
  }
}

function sessionJson(
  { session, prompts, conversation }: SessionDetail,
  scope: DetailShape['scope'],
): JsonObject {
  const shown = scope === 'none' ? undefined : conversation
  return {
    ...storedFigures(session),
    prompts,
    ...given({
      transcript: shown?.entries.map((entry) => ({ ...entry })),
      transcript_problem: shown?.problem,
    }),
  }
}

// A figure that another writer has left out is not zero.
function storedFigures(session: StoredSession): JsonObject {
  const { checkpoints_count, initial_attribution, ...record } = formatSessionRecord(session)
  const { stored = {} } = session
  return {
    ...record,
    ...given({ checkpoints_count: stored.checkpoints_count === undefined ? undefined : checkpoints_count }),
    ...given({ initial_attribution: initial_attribution && stored.initial_attribution }),
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

// If the transcript cannot be read, the stored prompts are used.
function intentOf(detail: SessionDetail | undefined): string | undefined {
  return detail && (detail.conversation?.firstPrompt ?? ownPrompt(detail.session, detail.prompts))
}

function tokenLines(tokens: TokenUsage | undefined): string[] {
  return tokens === undefined ? [] : [`Tokens: ${totalTokens(tokens)}`]
}

function redactionLines(redactions: Record<string, number> = {}): string[] {
  const rules = Object.entries(redactions).sort(([, a], [, b]) => b - a)
  const total = rules.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return []
  return [
    `Redacted: ${countOf(total, 'secret')} (${rules.map(([rule, count]) => `${clean(rule)} ${count}`).join(', ')})`,
  ]
}

function commitLines(commits: LogEntry[]): string[] {
  if (commits.length === 0) return ['Commits: No commits found on this branch']
  const lines = commits.map(
    (commit) =>
      `  ${commit.oid.slice(0, 7)} ${localTime(commit.committedAt).slice(0, 10)} ${cut(commit.subject, 80)}`,
  )
  return [`Commits: (${commits.length})`, ...lines]
}

function conversationLines(detail: SessionDetail | undefined, shape: DetailShape): string[] {
  if (shape.scope === 'none' || detail?.conversation === undefined) return []
  return ['', headings[shape.scope], ...transcriptLines(detail.conversation, shape)]
}

function list(title: string, items: string[]): string[] {
  return items.length === 0
    ? [`${title}: (none)`]
    : [`${title}: (${items.length})`, ...items.map((item) => `  - ${clean(item)}`)]
}

/** The summary of a session, or its prompt if it has none. */
export function summaryLines(summary: CheckpointSummary | undefined, prompt: string | undefined): string[] {
  if (summary === undefined)
    return [`Intent: ${prompt === undefined ? '(unknown)' : cut(prompt, 80)}`, 'Outcome: (not generated)']
  const { repo, code, workflow } = summary.learnings
  const learnings = [
    ...section('  Repository:', repo, '    '),
    ...section('  Code:', code.map(formatFinding), '    '),
    ...section('  Workflow:', workflow, '    '),
  ]
  return [
    `Intent: ${clean(summary.intent)}`,
    `Outcome: ${clean(summary.outcome)}`,
    ...separated(learnings.length === 0 ? [] : ['Learnings:', ...learnings]),
    ...separated(section('Friction:', summary.friction)),
    ...separated(section('Open Items:', summary.openItems)),
  ]
}

function formatFinding({
  path,
  line,
  endLine,
  finding,
}: CheckpointSummary['learnings']['code'][number]): string {
  return `${path}${line ? `:${line}${endLine ? `-${endLine}` : ''}` : ''}: ${finding}`
}

function section(title: string, items: string[], indent = '  '): string[] {
  return items.length === 0 ? [] : [title, ...items.map((item) => `${indent}- ${clean(item)}`)]
}

function separated(lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines]
}
