// Provides a model that needs no network: it repeats the user word by word. Put `api: parrot` into an entry
// of models.yaml.
import { defineExtension, isUser, textOf } from '../../../src/sdk/extension.ts'

export const parrot = defineExtension({
  name: 'parrot',
  version: '1.0.0',
  providers: {
    async *parrot({ messages, options }, { signal }) {
      const prompt = textOf(messages.findLast(isUser) ?? { content: '', blocks: [], timestamp: '' })
      if (options.thinking && options.thinking !== 'off') yield { thinking: `The user said "${prompt}".` }
      const words = prompt.split(/(?<=\s)/)
      for (const word of words.slice(0, options.maxTokens)) {
        // A real provider would pass the signal to `fetch`.
        signal.throwIfAborted()
        yield word
      }
      const isCut = options.maxTokens !== undefined && words.length > options.maxTokens
      return {
        stopReason: isCut ? 'length' : 'stop',
        usage: { inputTokens: words.length, outputTokens: words.length },
      }
    },
  },
})
