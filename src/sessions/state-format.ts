// Converts a session to and from its state file, compatible field by field with the reference program. Fields
// of other versions are kept.

import { formatTokenRecord, parseCounts, parseTokenRecord } from '../checkpoints/record.ts'
import { isCheckpointId } from '../model/checkpoint.ts'
import {
  type Phase,
  type PromptAttribution,
  phases,
  type RecordingStart,
  type Session,
  type TranscriptCursor,
  type TurnNote,
} from '../model/session.ts'
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

const known = new Set([
  'session_id',
  'cli_version',
  'base_commit',
  'attribution_base_commit',
  'worktree_path',
  'worktree_id',
  'started_at',
  'ended_at',
  'phase',
  'turn_id',
  'turn_checkpoint_ids',
  'last_interaction_time',
  'checkpoint_count',
  'checkpoint_transcript_start',
  'condensed_transcript_lines',
  'transcript_lines_at_start',
  'untracked_files_at_start',
  'files_touched',
  'shared_files',
  'last_checkpoint_id',
  'agent_type',
  'model_name',
  'token_usage',
  'checkpoint_token_usage',
  'transcript_identifier_at_start',
  'transcript_path',
  'first_prompt',
  'last_prompt',
  'session_turn_count',
  'turns',
  'prompt_attributions',
  'pending_prompt_attribution',
  'fully_condensed',
  'previous_session_id',
  'metadata',
  'turn_head',
  'last_step_at',
  'turn_files',
  'transcript_cursor',
  'recorded_from',
  'turn_checkpoint_tokens',
])

export function formatSessionState(session: Session): JsonObject {
  const fields: Record<string, Json | undefined> = {
    session_id: session.id,
    cli_version: session.cliVersion || undefined,
    base_commit: session.baseCommit,
    attribution_base_commit: session.attributionBase || undefined,
    worktree_path: session.worktreePath || undefined,
    worktree_id: session.worktreeId || undefined,
    started_at: session.startedAt,
    ended_at: session.endedAt,
    phase: session.phase,
    turn_id: session.turnId,
    turn_checkpoint_ids: nonEmpty(session.turnCheckpoints),
    turn_checkpoint_tokens: session.turnTokens && formatTokenRecord(session.turnTokens),
    last_interaction_time: session.lastInteraction,
    checkpoint_count: session.stepCount,
    checkpoint_transcript_start: session.transcriptStart || undefined,
    untracked_files_at_start: nonEmpty(session.untrackedAtStart),
    files_touched: nonEmpty(session.filesTouched),
    shared_files: nonEmpty(session.sharedFiles.filter((path) => session.filesTouched.includes(path))),
    last_checkpoint_id: session.lastCheckpoint,
    agent_type: session.agentType || undefined,
    model_name: session.model,
    token_usage: session.tokens && formatTokenRecord(session.tokens),
    checkpoint_token_usage: session.checkpointTokens && formatTokenRecord(session.checkpointTokens),
    transcript_identifier_at_start: session.transcriptIdAtStart,
    transcript_path: session.transcriptPath,
    first_prompt: session.firstPrompt,
    last_prompt: session.lastPrompt,
    session_turn_count: session.turnCount || undefined,
    turns: nonEmpty(session.turns.map(formatTurn)),
    prompt_attributions: nonEmpty(session.promptAttributions.map(formatAttribution)),
    pending_prompt_attribution: session.pendingAttribution && formatAttribution(session.pendingAttribution),
    fully_condensed: session.fullyCondensed || undefined,
    previous_session_id: session.previousSession,
    metadata: session.metadata,
    turn_head: session.turnHead,
    turn_files: nonEmpty(session.turnFiles),
    transcript_cursor: session.cursor as Json | undefined,
    recorded_from: session.recordedFrom && formatRecordingStart(session.recordedFrom),
    ...session.extra,
  }
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  )
}

export function parseSessionState(value: unknown): Session | undefined {
  const record = asObject(value)
  const id = asString(record?.session_id)
  if (record === undefined || !id) return undefined
  const baseCommit = asString(record.base_commit) ?? ''
  const fields = {
    id,
    cliVersion: asString(record.cli_version) ?? '',
    baseCommit,
    attributionBase: asString(record.attribution_base_commit) || baseCommit,
    worktreePath: asString(record.worktree_path) ?? '',
    worktreeId: asString(record.worktree_id) ?? '',
    startedAt: asTime(record.started_at) ?? '',
    endedAt: asTime(record.ended_at),
    phase: parsePhase(record.phase),
    turnId: asString(record.turn_id) || undefined,
    turnCheckpoints: unique(record.turn_checkpoint_ids).filter(isCheckpointId),
    turnTokens: parseTokenRecord(record.turn_checkpoint_tokens),
    lastInteraction: asTime(record.last_interaction_time),
    stepCount: asCount(record.checkpoint_count),
    transcriptStart:
      asCount(record.checkpoint_transcript_start) ||
      asCount(record.condensed_transcript_lines) ||
      asCount(record.transcript_lines_at_start),
    untrackedAtStart: unique(record.untracked_files_at_start),
    filesTouched: unique(record.files_touched),
    sharedFiles: unique(record.shared_files),
    lastCheckpoint: [asString(record.last_checkpoint_id) ?? ''].find(isCheckpointId),
    agentType: asString(record.agent_type) ?? '',
    model: asString(record.model_name) || undefined,
    tokens: parseTokenRecord(record.token_usage),
    checkpointTokens: parseTokenRecord(record.checkpoint_token_usage),
    transcriptIdAtStart:
      asString(record.transcript_identifier_at_start) ||
      asString(record.transcript_uuid_at_start) ||
      undefined,
    transcriptPath: asString(record.transcript_path) || undefined,
    firstPrompt: asString(record.first_prompt),
    lastPrompt: asString(record.last_prompt),
    turnCount: asCount(record.session_turn_count),
    turns: asArray(record.turns).flatMap(parseTurn),
    promptAttributions: asArray(record.prompt_attributions).filter(asObject).map(parseAttribution),
    pendingAttribution:
      asObject(record.pending_prompt_attribution) && parseAttribution(record.pending_prompt_attribution),
    fullyCondensed: record.fully_condensed === true,
    previousSession: asString(record.previous_session_id),
    metadata: asObject(record.metadata) as Record<string, string> | undefined,
    turnHead: asString(record.turn_head),
    turnFiles: asStrings(record.turn_files),
    cursor: parseCursor(record.transcript_cursor),
    recordedFrom: parseRecordingStart(record.recorded_from),
    extra: Object.fromEntries(Object.entries(record).filter(([key]) => !known.has(key))),
  }
  return Object.fromEntries(
    Object.entries(fields).filter(([, field]) => field !== undefined),
  ) as unknown as Session
}

export function parsePhase(value: unknown): Phase {
  const name = asString(value)?.toLowerCase()
  return phases.find((phase) => phase === name) ?? 'idle'
}

// Some versions never removed duplicates, and lists grew to tens of thousands of paths.
function unique(value: unknown): string[] {
  return [...new Set(asStrings(value))]
}

// A cursor only saves work: an incomplete one is dropped, and the transcript is read from its beginning.
function parseCursor(value: unknown): TranscriptCursor | undefined {
  const record = asObject(value)
  const [path, bytes, items, seal, hash] = [
    asString(record?.path),
    asNumber(record?.bytes),
    asNumber(record?.items),
    asString(record?.seal),
    asString(record?.hash),
  ]
  if (
    record === undefined ||
    path === undefined ||
    bytes === undefined ||
    items === undefined ||
    seal === undefined ||
    hash === undefined
  )
    return undefined
  const chunks = asArray(record.chunks).flatMap((chunk) => {
    const [oid, size] = [asString(asObject(chunk)?.oid), asNumber(asObject(chunk)?.bytes)]
    return oid === undefined || size === undefined ? [] : [{ oid, bytes: size }]
  })
  const [digest, carry] = [asString(record.digest), asObject(record.carry)]
  return {
    ...{ path, bytes, items, seal, hash, hashed: asNumber(record.hashed) ?? 0, chunks },
    ...given({ digest }),
    ...given({ carry, redactions: parseCounts(record.redactions) }),
    ...given({ behind: asNumber(record.behind), ignored: asNumber(record.ignored) }),
  }
}

function formatRecordingStart({ totals, ...start }: RecordingStart): JsonObject {
  return { ...start, ...(totals ? { totals: formatTokenRecord(totals) } : {}) }
}

function parseRecordingStart(value: unknown): RecordingStart | undefined {
  const record = asObject(value)
  if (record === undefined) return undefined
  const totals = parseTokenRecord(record.totals)
  return {
    bytes: asCount(record.bytes),
    position: asCount(record.position),
    ...given({ totals }),
    ...(record.isCopy === true ? { isCopy: true } : {}),
  }
}

function formatTurn({ tokens, ...turn }: TurnNote): JsonObject {
  return { ...turn, ...(tokens ? { tokens: formatTokenRecord(tokens) } : {}) }
}

function parseTurn(value: unknown): TurnNote[] {
  const record = asObject(value)
  if (record === undefined) return []
  const texts = ['before', 'prompt', 'entry', 'follows'] as const
  const optional = Object.fromEntries(texts.map((key) => [key, asString(record[key])]))
  const tokens = parseTokenRecord(record.tokens)
  return [
    {
      id: asString(record.id) ?? '',
      start: asCount(record.start),
      files: unique(record.files),
      at: asCount(record.at),
      number: asCount(record.number),
      ...given({ tokens, ...optional }),
    },
  ]
}

function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list
}

export function formatAttribution(attribution: PromptAttribution): JsonObject {
  return {
    checkpoint_number: attribution.number,
    user_lines_added: attribution.userAdded,
    user_lines_removed: attribution.userRemoved,
    agent_lines_added: attribution.agentAdded,
    agent_lines_removed: attribution.agentRemoved,
    ...(Object.keys(attribution.userAddedPerFile).length === 0
      ? {}
      : { user_added_per_file: attribution.userAddedPerFile }),
  }
}

export function parseAttribution(value: unknown): PromptAttribution {
  const record = asObject(value) ?? {}
  const number = (key: string) => asNumber(record[key]) ?? 0
  const perFile = asObject(record.user_added_per_file) ?? {}
  const isNumber = (count: unknown) => typeof count === 'number'
  return {
    number: number('checkpoint_number'),
    userAdded: number('user_lines_added'),
    userRemoved: number('user_lines_removed'),
    agentAdded: number('agent_lines_added'),
    agentRemoved: number('agent_lines_removed'),
    userAddedPerFile: (Object.values(perFile).every(isNumber)
      ? perFile
      : Object.fromEntries(Object.entries(perFile).filter(([, count]) => isNumber(count)))) as Record<
      string,
      number
    >,
  }
}
