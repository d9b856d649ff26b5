// A plugin cuts its documents in its own way, as the original lets it do. What it gives is used only if it is proven right.
import type { TranscriptPieces } from '../../model/transcript-pieces.ts'
import { limits } from '../../protocol/external-subcommand.ts'
import { ask, askForBytes, type Plugin, unlessItFails } from './call.ts'

// In its answer three bytes are four, and every piece has quotes and a comma.
const mostToCut = Math.floor((limits.maxBytes * 3) / 4) - 4096
const mostPieces = 100

/** What does not fit into an answer is not asked for. */
export function pluginPieces(plugin: Plugin): TranscriptPieces {
  const joined = new Map<string, Promise<Buffer | undefined>>()
  return {
    async cut(whole, maxBytes) {
      if (whole.length > mostToCut) return undefined
      // We can do without: nobody waits long for it, and what else there is to ask it is asked all the same.
      const hurried = { ...plugin, site: { ...plugin.site, timeoutMs: Math.min(plugin.site.timeoutMs, limits.hurriedMs) } }
      const answer = await unlessItFails(plugin, ask(hurried, 'chunk-transcript', { 'max-size': maxBytes }, whole))
      if (answer === undefined) return undefined
      const pieces = (answer.chunks ?? []).map((piece) => Buffer.from(piece, 'base64'))
      const problem = pieces.length > mostPieces ? `makes ${pieces.length} pieces of it` : await findFault(hurried, whole, pieces)
      if (problem === undefined) return pieces
      plugin.site.report(
        `entire-agent-${plugin.name} does not cut the transcript: it ${problem}. It is cut at its lines or messages instead.`,
      )
      return undefined
    },
    join(pieces, isWhole) {
      // Whoever compares a log before writing it reads it twice.
      const key = pieces.map((piece) => new Bun.CryptoHasher('sha1').update(piece).digest('hex')).join(' ')
      const answer = joined.get(key) ?? join(plugin, pieces, isWhole)
      joined.set(key, answer)
      return answer
    },
  }
}

async function findFault(plugin: Plugin, whole: Buffer, pieces: Buffer[]): Promise<string | undefined> {
  const back = await unlessItFails(plugin, reassemble(plugin, pieces))
  return back?.equals(whole) ? undefined : 'could not make the same bytes of its pieces again'
}

async function join(plugin: Plugin, pieces: Buffer[], isWhole: (bytes: Buffer) => boolean): Promise<Buffer | undefined> {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const isTooLarge = size > limits.maxBytes
  const answer = isTooLarge ? undefined : await unlessItFails(plugin, reassemble(plugin, pieces))
  if (answer !== undefined && isWhole(answer)) return answer
  const why = isTooLarge ? 'is too large to be joined by' : answer === undefined ? 'could not be joined by' : 'was not given back by'
  plugin.site.report(
    `A stored transcript ${why} entire-agent-${plugin.name}. Its ${pieces.length} pieces are put one after another, which is not how it was recorded.`,
  )
  return undefined
}

function reassemble(plugin: Plugin, pieces: Buffer[]): Promise<Buffer> {
  const chunks = pieces.map((piece) => piece.toString('base64'))
  return askForBytes(plugin, 'reassemble-transcript', {}, JSON.stringify({ chunks }))
}
