// What happens to the user's text on its way to the model: transformers may change it, hooks may add to the prompt.
import { messageOf } from '../std/errors.ts'
import type { Reach } from './running.ts'

/** `handled`: somebody took care of it, and nothing is sent. An error of one of them is thrown: the text is not lost, but not sent. */
export async function transformInput(
  { registry, running }: Reach,
  input: string,
  signal: AbortSignal,
): Promise<{ text: string; handled: boolean }> {
  let text = input
  for (const owner of registry.inputTransformers()) {
    const live = running.find(owner)
    if (!live) continue
    const answer = await live.request('inputTransformer/transform', { input: text }, { signal })
    if (answer.handled) return { text: answer.output, handled: true }
    text = answer.output
  }
  return { text, handled: false }
}

/** Everything hooks add to the system prompt of a turn. One that fails adds nothing; the others still do. */
export async function collectInjections(
  { registry, running }: Reach,
  message: string,
  signal: AbortSignal,
  log: (message: string) => void,
): Promise<string> {
  const added: string[] = []
  for (const owner of registry.messageHooks()) {
    try {
      const answer = await running.find(owner)?.request('messageHook/onMessage', { message }, { signal })
      if (answer?.injection) added.push(answer.injection)
    } catch (error) {
      log(`message hook of ${owner}: ${messageOf(error)}`)
    }
  }
  return added.join('\n\n')
}
