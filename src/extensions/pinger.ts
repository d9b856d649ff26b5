// Finds out whether an extension still answers, by a question that nobody knows: programs answer such a question with an error. One that
// did not do so when it was well is not asked again.
import { type Peer, RpcFailure } from '../protocol/extension-peer.ts'

const question = '$/ping'
const firstMs = 250

export function createPinger(peer: Peer): (withinMs: number) => Promise<boolean> {
  let answers: Promise<boolean> | undefined
  return async (withinMs) => {
    answers ??= ask(peer, firstMs)
    return (await answers) ? await ask(peer, withinMs) : true
  }
}

async function ask(peer: Peer, deadlineMs: number): Promise<boolean> {
  let isLate = false
  try {
    await peer.request(question, {}, { deadlineMs, onLate: () => (isLate = true) })
    return true
  } catch (error) {
    return error instanceof RpcFailure && !isLate
  }
}
