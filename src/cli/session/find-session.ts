// Finds the session that the user names, or the one the command runs in, and formats a session as JSON.

import { agents } from '../../agents/all.ts'
import type { Repo } from '../../git/repo.ts'
import type { Session } from '../../model/session.ts'
import { type TokenUsage, totalTokens } from '../../model/tokens.ts'
import { lastSign, listSessionHeads, listStateIds, readState } from '../../sessions/list.ts'
import { ambiguousPrefix, EntireError, notFound } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { latestPromptOf, statusOf, unknownText } from '../render/sessions.ts'
import { clean } from '../render/text.ts'

/** How commands take the id of a session. */
export const idParameter = (brief: string) => ({ parse: String, placeholder: 'id', brief }) as const

/** By id or a prefix of it. Throws when none or several match. */
export function requireSessionByPrefix(repo: Repo, prefix: string): Session {
  const id = findSessionId(repo, prefix)
  if (id === undefined) throw sessionNotFound(prefix)
  const session = readState(repo, id)
  if (session !== undefined) return session
  throw sessionUnreadable(id)
}

export function sessionNotFound(prefix: string): EntireError {
  return notFound('session', clean(prefix), '`entire session list --all` shows the sessions.')
}

export function sessionUnreadable(id: string): EntireError {
  return new EntireError('corrupt-state', `The state of session ${clean(id)} cannot be read.`, {
    hint: 'Run `entire doctor` to repair it.',
  })
}

/** Undefined when none matches. Throws when several match. */
export function findSessionId(repo: Repo, prefix: string): string | undefined {
  const ids = prefix === '' ? [] : listStateIds(repo).filter((id) => id.startsWith(prefix))
  if (ids.includes(prefix)) return prefix
  if (ids.length < 2) return ids[0]
  throw ambiguousPrefix('session', clean(prefix), ids.map(clean))
}

/** The session whose agent runs this command, or else the one last active in this work tree. */
export function findCurrentSession(cli: Cli, repo: Repo): Session | undefined {
  const caller = agents
    .map(({ callerSessionEnv }) => callerSessionEnv && cli.env[callerSessionEnv])
    .find((id) => id)
  const here = listSessionHeads(repo).heads.filter((head) => head.worktreePath === repo.root)
  const [newest] = here.toSorted(
    (a, b) => Number(b.id === caller) - Number(a.id === caller) || lastSign(b) - lastSign(a),
  )
  return newest && readState(repo, newest.id)
}

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
