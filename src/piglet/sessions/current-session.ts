// The session that is being talked in, and its conversation. Whoever still writes into one that was left writes nothing.

import { realpathSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { EntireError } from '../../std/errors.ts'
import { exists } from '../../std/file.ts'
import { isInside } from '../../std/program-search.ts'
import type { ChatMessage } from '../conversation/message.ts'
import {
  forkPigletSession,
  loadPigletSession,
  newPigletSession,
  type PigletSession,
  type SessionContext,
} from './session.ts'

export interface ActiveConversation {
  messages(): ChatMessage[]
  /** In memory at once; settles when it is on disk. */
  add(message: ChatMessage): Promise<void>
  addCustom(role: 'user' | 'assistant', message: ChatMessage, text: string): Promise<void>
  replace(messages: ChatMessage[], tokensBefore: number): Promise<void>
  /** Another number after every replacement. */
  version(): number
}

export type CurrentSession = ReturnType<typeof createCurrentSession>

export function createCurrentSession(
  context: SessionContext,
  first: PigletSession,
  onSwap: (session: PigletSession) => void,
) {
  let session = first
  let current = converse(first)

  function converse(of: PigletSession): ActiveConversation {
    let messages = of.messages()
    let version = 0
    const mine: ActiveConversation = {
      messages: () => messages,
      async add(message) {
        if (current !== mine) return
        messages = [...messages, message]
        await of.addMessage(message)
      },
      async addCustom(role, message, text) {
        if (current !== mine) return
        messages = [...messages, message]
        await of.addCustomMessage(role, text)
      },
      async replace(newer, tokensBefore) {
        if (current !== mine) return
        messages = newer
        version += 1
        await of.addReplacement(newer, tokensBefore)
      },
      version: () => version,
    }
    return mine
  }

  /** Also after the tree of the same session has changed. */
  function swap(to: PigletSession): void {
    session = to
    current = converse(to)
    onSwap(to)
  }

  return {
    session: () => session,
    conversation: () => current,
    load: (path: string) => swap(loadPigletSession(context, findSessionFile(context.dir, path))),
    begin: (about: { cwd: string; model?: string }) => swap(newPigletSession(context, about)),
    async branch(entryId: string, summary: string): Promise<void> {
      await session.branch(entryId, summary)
      swap(session)
    },
    async reset(): Promise<void> {
      await session.reset()
      swap(session)
    },
    async fork(): Promise<{ parentId: string; count: number }> {
      const parentId = session.meta().id
      const { session: fork, count } = await forkPigletSession(context, session)
      swap(fork)
      return { parentId, count }
    },
  }
}

/** A path, or the id alone. Sessions are in one place: no other file is read for one. */
export function findSessionFile(dir: string, path: string): string {
  const named = extname(path) === '' && basename(path) === path ? join(dir, `${path}.jsonl`) : path
  if (!exists(named)) throw new EntireError('not-found', `There is no session ${path}.`)
  if (exists(dir) && isInside(realpathSync(named), realpathSync(dir))) return named
  throw new EntireError('bad-usage', `${path} is not a session: sessions are in ${dir}.`)
}
