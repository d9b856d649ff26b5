// Formats and parses the JSON records of a checkpoint: written in the field order older readers print, read
// with missing fields, null lists and old names.
import type { Attribution, CheckpointRecord, CheckpointSummary, SessionRecord } from '../model/checkpoint.ts'
import { addTokens, hasTokens, noTokens, type TokenUsage } from '../model/tokens.ts'
import { given } from '../std/given.ts'
import {
  asArray,
  asCount,
  asNumber,
  asObject,
  asString,
  asStrings,
  asTime,
  type Json,
  type JsonObject,
} from '../std/json.ts'
import { checkpointDir, sessionPaths } from './layout.ts'

// Fields about all sessions, which become wrong when a session is added.
const overSessions = ['session_count', 'session_ids', 'combined_attribution']

/** Unknown fields of the `stored` head are kept. */
export function formatCheckpointRecord(
  record: Omit<CheckpointRecord, 'sessionCount'>,
  slots: number[],
  stored: JsonObject = {},
): JsonObject {
  const sessions = slots.map((slot) => {
    const paths = sessionPaths(checkpointDir(record.checkpoint), slot)
    return {
      metadata: `/${paths.metadata}`,
      transcript: `/${paths.transcript}`,
      context: `/${paths.context}`,
      content_hash: `/${paths.contentHash}`,
      prompt: `/${paths.prompt}`,
    }
  })
  const others = Object.entries(stored).filter(([key]) => !overSessions.includes(key))
  return given({
    ...Object.fromEntries(others),
    cli_version: record.cliVersion,
    checkpoint_id: record.checkpoint,
    strategy: record.strategy,
    branch: record.branch,
    checkpoints_count: record.steps,
    files_touched: record.files,
    sessions,
    token_usage: record.tokens && formatTokenRecord(record.tokens),
  })
}

export function parseCheckpointRecord(value: unknown): CheckpointRecord | undefined {
  const record = asObject(value)
  const checkpoint = asString(record?.checkpoint_id)
  if (record === undefined || checkpoint === undefined) return undefined
  return given({
    cliVersion: asString(record.cli_version) || undefined,
    checkpoint,
    strategy: asString(record.strategy) ?? '',
    branch: asString(record.branch) || undefined,
    steps: asCount(record.checkpoints_count),
    files: asStrings(record.files_touched),
    sessionCount: Math.max(-1, ...listSlots(record.sessions)) + 1,
    tokens: parseTokenRecord(record.token_usage),
  })
}

/** Unknown fields and the summary of the `stored` record are kept. */
export function formatSessionRecord(record: SessionRecord, stored: JsonObject = {}): JsonObject {
  return given({
    ...stored,
    cli_version: record.cliVersion,
    checkpoint_id: record.checkpoint,
    session_id: record.session,
    strategy: record.strategy,
    created_at: record.createdAt,
    branch: record.branch,
    checkpoints_count: record.steps,
    files_touched: record.files,
    shared_files: record.sharedFiles,
    agent: record.agent,
    model: record.model,
    turn_id: record.turnId,
    is_task: record.isTask || undefined,
    tool_use_id: record.toolUse,
    transcript_identifier_at_start: record.transcriptIdAtStart,
    checkpoint_transcript_start: record.transcriptStart || undefined,
    transcript_lines_at_start: record.transcriptStart || undefined,
    token_usage: record.tokens && formatTokenRecord(record.tokens),
    summary: asObject(stored.summary) ?? (record.summary && formatSummary(record.summary)),
    initial_attribution: record.attribution && formatAttribution(record.attribution),
    transcript_path: record.transcriptPath,
    redactions: record.redactions,
  })
}

/**
 * The slot numbers in a head, which may have gaps. Earlier versions stored a map by number instead of a list.
 */
export function listSlots(value: unknown): number[] {
  const sessions = asObject(value) ?? asArray(value)
  return Object.entries(sessions).map(([key, paths]) => {
    const slot = /(\d{1,9})\/[^/]+$/.exec(asString(asObject(paths)?.metadata) ?? '')?.[1]
    return Number(slot ?? key) || 0
  })
}

/** The head of the checkpoint fills in fields that the session's own record lacks. */
export function parseSessionRecord(value: unknown, head: JsonObject = {}): SessionRecord | undefined {
  const record = asObject(value)
  const session = asString(record?.session_id)
  if (record === undefined || !session) return undefined
  return given({
    cliVersion: asString(record.cli_version) || undefined,
    checkpoint: asString(record.checkpoint_id) ?? '',
    session,
    strategy: asString(record.strategy) ?? '',
    createdAt: asTime(record.created_at) ?? asTime(head.created_at) ?? '',
    branch: asString(record.branch) || undefined,
    steps: asCount(record.checkpoints_count),
    files: asStrings(record.files_touched),
    sharedFiles: parseShared(record.shared_files),
    agent: parseAgent(record) ?? parseAgent(head),
    model: asString(record.model) || undefined,
    turnId: asString(record.turn_id) || undefined,
    isTask: record.is_task === true || undefined,
    toolUse: asString(record.tool_use_id) || undefined,
    transcriptIdAtStart:
      asString(record.transcript_identifier_at_start) ||
      asString(record.transcript_uuid_at_start) ||
      undefined,
    transcriptStart: asCount(record.checkpoint_transcript_start) || asCount(record.transcript_lines_at_start),
    tokens: parseTokenRecord(record.token_usage),
    summary: parseSummary(record.summary),
    attribution: parseAttribution(record.initial_attribution),
    transcriptPath: asString(record.transcript_path) || undefined,
    redactions: parseCounts(record.redactions),
  })
}

function parseShared(value: unknown): string[] | undefined {
  const paths = asStrings(value)
  return paths.length === 0 ? undefined : paths
}

// `agents` was first a list, then a single name; today the field is `agent`.
function parseAgent({ agent, agents }: JsonObject): string | undefined {
  return asString(agent) || asString(agents) || asStrings(agents).find((name) => name !== '')
}

export function parseCounts(value: unknown): Record<string, number> | undefined {
  const record = asObject(value)
  return record && Object.fromEntries(Object.entries(record).map(([rule, count]) => [rule, asCount(count)]))
}

function formatAttribution(attribution: Attribution): JsonObject {
  return {
    calculated_at: attribution.calculatedAt,
    agent_lines: attribution.agentLines,
    agent_removed: attribution.agentRemoved,
    human_added: attribution.humanAdded,
    human_modified: attribution.humanModified,
    human_removed: attribution.humanRemoved,
    total_committed: attribution.totalCommitted,
    total_lines_changed: attribution.totalLinesChanged,
    agent_percentage: attribution.agentPercentage,
    metric_version: 2,
  }
}

function parseAttribution(value: unknown): Attribution | undefined {
  const record = asObject(value)
  if (record === undefined) return undefined
  const number = (key: string) => asNumber(record[key]) ?? 0
  return {
    calculatedAt: asString(record.calculated_at) ?? '',
    agentLines: number('agent_lines'),
    agentRemoved: number('agent_removed'),
    humanAdded: number('human_added'),
    humanModified: number('human_modified'),
    humanRemoved: number('human_removed'),
    totalCommitted: number('total_committed'),
    totalLinesChanged: number('total_lines_changed'),
    agentPercentage: number('agent_percentage'),
  }
}

export function formatSummary(summary: CheckpointSummary): JsonObject {
  const code = summary.learnings.code.map(
    ({ path, line, endLine, finding }) => given({ path, line, end_line: endLine, finding }) as JsonObject,
  )
  return {
    intent: summary.intent,
    outcome: summary.outcome,
    learnings: { repo: summary.learnings.repo, code, workflow: summary.learnings.workflow },
    friction: summary.friction,
    open_items: summary.openItems,
  }
}

export function parseSummary(value: unknown): CheckpointSummary | undefined {
  const record = asObject(value)
  if (record === undefined) return undefined
  const learnings = asObject(record.learnings) ?? {}
  return {
    intent: asString(record.intent) ?? '',
    outcome: asString(record.outcome) ?? '',
    learnings: {
      repo: asStrings(learnings.repo),
      code: asArray(learnings.code).flatMap(parseFinding),
      workflow: asStrings(learnings.workflow),
    },
    friction: asStrings(record.friction),
    openItems: asStrings(record.open_items),
  }
}

function parseFinding(value: Json): CheckpointSummary['learnings']['code'] {
  const record = asObject(value)
  const path = asString(record?.path)
  if (record === undefined || path === undefined) return []
  return [
    given({
      path,
      line: asNumber(record.line),
      endLine: asNumber(record.end_line),
      finding: asString(record.finding) ?? '',
    }),
  ]
}

export function formatTokenRecord(usage: TokenUsage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_tokens: usage.cacheCreation,
    cache_read_tokens: usage.cacheRead,
    output_tokens: usage.output,
    api_call_count: usage.calls,
    ...(hasTokens(usage.subagents) ? { subagent_tokens: formatTokenRecord(usage.subagents) } : {}),
  }
}

export function parseTokenRecord(value: unknown): TokenUsage | undefined {
  const record = asObject(value)
  if (record === undefined || Object.keys(record).length === 0) return undefined
  const subagents = parseTokenRecord(record.subagent_tokens)
  return {
    input: asCount(record.input_tokens),
    // Some writers use the field names of the model's API.
    cacheCreation: asCount(record.cache_creation_tokens) || asCount(record.cache_creation_input_tokens),
    cacheRead: asCount(record.cache_read_tokens) || asCount(record.cache_read_input_tokens),
    output: asCount(record.output_tokens),
    calls: asCount(record.api_call_count),
    ...given({ subagents }),
  }
}

export function sumTokens(usages: (TokenUsage | undefined)[]): TokenUsage | undefined {
  const sum = usages.filter((usage) => usage !== undefined).reduce(addTokens, noTokens)
  return hasTokens(sum) ? sum : undefined
}
