// From what a person typed, or from where the command runs, to a session.

import { agents } from '../../agents/all.ts'
import type { Repo } from '../../git/repo.ts'
import type { Session } from '../../model/session.ts'
import { type TokenUsage, totalTokens } from '../../model/tokens.ts'
import { lastSign, listSessionHeads, listStateIds, readState } from '../../sessions/heads.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { latestPromptOf, statusOf, unknownText } from '../render/sessions.ts'
import { clean } from '../render/text.ts'

const candidatesNamed = 5

/** By id or the beginning of one. Throws when there is none, or more than one. */
export function requireSessionByPrefix(repo: Repo, prefix: string): Session {
  const id = findSessionId(repo, prefix)
  if (id === undefined)
    throw new EntireError('not-found', 'Session not found.', {
      hint: 'Run `entire session list --all` to see the sessions there are.',
    })
  const session = readState(repo, id)
  if (session !== undefined) return session
  throw new EntireError('corrupt-state', `The state of session ${clean(id)} cannot be read.`, {
    hint: 'Run `entire doctor`.',
  })
}

/** Undefined when there is none. Throws when there is more than one. */
export function findSessionId(repo: Repo, prefix: string): string | undefined {
  const ids = prefix === '' ? [] : listStateIds(repo).filter((id) => id.startsWith(prefix))
  if (ids.includes(prefix)) return prefix
  if (ids.length < 2) return ids[0]
  const named = ids.slice(0, candidatesNamed).map(clean).join(', ')
  throw new EntireError(
    'bad-id',
    `ambiguous session prefix "${clean(prefix)}" matches ${ids.length} sessions: ${named}${ids.length > candidatesNamed ? ', …' : ''}`,
    { hint: 'Type more of the id.' },
  )
}

/** The session whose agent runs this command; else the one of this work tree that was at work last. */
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

// A session for programs.

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
