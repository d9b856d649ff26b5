// A copy of a conversation as a session of its own, which knows where it comes from.
import { newSession, type Session, type SessionContext } from './session.ts'

export async function forkSession(context: SessionContext, from: Session): Promise<{ session: Session; count: number }> {
  const meta = from.meta()
  const messages = from.messages()
  const session = newSession(context, { cwd: meta.cwd })
  await session.change({})
  await session.change({ ...(meta.model ? { model: meta.model } : {}), parentId: meta.id, forkPoint: messages.length })
  for (const message of messages) await session.addMessage(message)
  return { session, count: messages.length }
}
