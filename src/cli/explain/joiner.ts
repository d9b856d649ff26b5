// Who joins the pieces of a stored transcript: its agent, where that has cut them in its own way.
import type { Joiner, StoredSession } from '../../checkpoints/read.ts'
import { clean } from '../render/text.ts'
import { write } from '../streams.ts'

/** Undefined for agents that leave it to us. */
export async function joinerOf({ agent: type, session }: StoredSession): Promise<Joiner | undefined> {
  const { findAgentByType } = await import('../../agents/all.ts')
  // Data that does not say who wrote it is older than agents that cut anything.
  if (type === undefined || type === 'Agent') return undefined
  const agent = findAgentByType(type)
  if (agent !== undefined) return agent.pieces
  return {
    async join(pieces) {
      const what = `The transcript of session ${clean(session)} was cut by ${clean(type)}, which is not known here`
      write(2, `[entire] ${what}: its ${pieces.length} pieces are put one after another, which is not how it was recorded.\n`)
      return undefined
    },
  }
}
