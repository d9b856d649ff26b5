// A session for programs.
import type { Session } from '../../model/session.ts'
import { type TokenUsage, totalTokens } from '../../model/tokens.ts'
import type { JsonObject } from '../../std/json.ts'
import { promptOf, statusOf, unknown } from '../render/sessions.ts'

export function sessionJson(session: Session): JsonObject {
  const prompt = promptOf(session)
  return {
    session_id: session.id,
    agent: session.agentType || unknown,
    ...(session.model ? { model: session.model } : {}),
    status: statusOf(session),
    ...(session.worktreeId ? { worktree_id: session.worktreeId } : {}),
    ...(session.worktreePath ? { worktree_path: session.worktreePath } : {}),
    started_at: session.startedAt,
    ...(session.endedAt === undefined ? {} : { ended_at: session.endedAt }),
    ...(session.lastInteraction === undefined ? {} : { last_active: session.lastInteraction }),
    turns: session.turnCount,
    checkpoints: session.stepCount,
    ...(session.lastCheckpoint === undefined ? {} : { last_checkpoint_id: session.lastCheckpoint }),
    ...(session.tokens === undefined || totalTokens(session.tokens) === 0 ? {} : { tokens: tokensJson(session.tokens) }),
    ...(prompt === undefined ? {} : { last_prompt: prompt }),
    ...(session.filesTouched.length === 0 ? {} : { files_touched: session.filesTouched }),
  }
}

/** Subagents count in the total only. */
export function tokensJson(usage: TokenUsage): JsonObject {
  return {
    total: totalTokens(usage),
    input: usage.input,
    cache_read: usage.cacheRead,
    cache_write: usage.cacheCreation,
    output: usage.output,
  }
}
