// Formats a session as JSON, for scripts.

import type { Session } from '../../model/session.ts'
import { type TokenUsage, totalTokens } from '../../model/tokens.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { latestPromptOf, statusOf, unknownText } from '../render/sessions.ts'

export function sessionJson(session: Session): JsonObject {
  const prompt = latestPromptOf(session)
  return {
    session_id: session.id,
    agent: session.agentType || unknownText,
    ...(session.model ? { model: session.model } : {}),
    status: statusOf(session),
    ...(session.worktreeId ? { worktree_id: session.worktreeId } : {}),
    ...(session.worktreePath ? { worktree_path: session.worktreePath } : {}),
    started_at: session.startedAt,
    ...given({ ended_at: session.endedAt }),
    ...given({ last_active: session.lastInteraction }),
    turns: session.turnCount,
    checkpoints: session.stepCount,
    ...given({ last_checkpoint_id: session.lastCheckpoint }),
    ...(session.tokens === undefined || totalTokens(session.tokens) === 0
      ? {}
      : { tokens: tokensJson(session.tokens) }),
    ...given({ last_prompt: prompt }),
    ...(session.filesTouched.length === 0 ? {} : { files_touched: session.filesTouched }),
  }
}

/** The tokens of subagents count only in the total. */
export function tokensJson(usage: TokenUsage): JsonObject {
  return {
    total: totalTokens(usage),
    input: usage.input,
    cache_read: usage.cacheRead,
    cache_write: usage.cacheCreation,
    output: usage.output,
  }
}
