// Holds the session that the user talks in, and its conversation. Writing to a conversation that is no longer
// current has no effect.

import { realpathSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { EntireError, notFound } from '../../std/errors.ts'
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
  /** Changes with every replacement. */
  version(): number
}

export class CurrentSession {
  readonly #context: SessionContext
  readonly #onSwap: (session: PigletSession) => void
  #session: PigletSession
  #conversation: ActiveConversation

  constructor(context: SessionContext, first: PigletSession, onSwap: (session: PigletSession) => void) {
    this.#context = context
    this.#onSwap = onSwap
    this.#session = first
    this.#conversation = this.#converse(first)
  }

  session(): PigletSession {
    return this.#session
  }

  conversation(): ActiveConversation {
    return this.#conversation
  }

  load(path: string): void {
    this.#swap(loadPigletSession(this.#context, findSessionFile(this.#context.dir, path)))
  }

  begin(about: { cwd: string; model?: string }): void {
    this.#swap(newPigletSession(this.#context, about))
  }

  async branch(entryId: string, summary: string): Promise<void> {
    await this.#session.branch(entryId, summary)
    this.#swap(this.#session)
  }

  async reset(): Promise<void> {
    await this.#session.reset()
    this.#swap(this.#session)
  }

  async fork(): Promise<{ parentId: string; count: number }> {
    const parentId = this.#session.meta().id
    const { session, count } = await forkPigletSession(this.#context, this.#session)
    this.#swap(session)
    return { parentId, count }
  }

  /** Also called when another branch of the same session becomes current. */
  #swap(session: PigletSession): void {
    this.#session = session
    this.#conversation = this.#converse(session)
    this.#onSwap(session)
  }

  #converse(session: PigletSession): ActiveConversation {
    let messages = session.messages()
    let version = 0
    const isCurrent = () => this.#conversation === conversation
    const conversation: ActiveConversation = {
      messages: () => messages,
      async add(message) {
        if (!isCurrent()) return
        messages = [...messages, message]
        await session.addMessage(message)
      },
      async addCustom(role, message, text) {
        if (!isCurrent()) return
        messages = [...messages, message]
        await session.addCustomMessage(role, text)
      },
      async replace(newMessages, tokensBefore) {
        if (!isCurrent()) return
        messages = newMessages
        version += 1
        await session.addReplacement(newMessages, tokensBefore)
      },
      version: () => version,
    }
    return conversation
  }
}

/** Takes a path, or an id alone. Only files in the directory of sessions are read. */
export function findSessionFile(dir: string, path: string): string {
  const file = extname(path) === '' && basename(path) === path ? join(dir, `${path}.jsonl`) : path
  if (!exists(file)) throw notFound('session', path)
  if (exists(dir) && isInside(realpathSync(file), realpathSync(dir))) return file
  throw new EntireError('bad-usage', `${path} is not a session: sessions are in ${dir}.`)
}
