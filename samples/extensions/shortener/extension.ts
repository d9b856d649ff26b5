// Shortens conversations: keeps the beginning and the latest turns, and has a small model summarise the rest.
import { type CompactEntry, type Context, defineExtension, textOf } from '../../../src/sdk/extension.ts'

const keptTurns = 2

export const shortener = defineExtension({
  name: 'shortener',
  version: '1.0.0',
  compactor: {
    name: 'shortener',
    threshold: 80_000,
    async compact(messages, context) {
      // A conversation can be cut only before a prompt, because a tool call must keep its result.
      const turns = messages.flatMap(({ type }, at) => (type === 'user' ? [at] : []))
      const from = turns.at(-keptTurns)
      const [first] = messages
      if (!first || from === undefined || from < 3) return messages
      const summary = await summarize(messages.slice(1, from), context)
      const note: CompactEntry = {
        type: 'user',
        data: {
          content: `[Earlier in this conversation]\n${summary}`,
          blocks: [],
          timestamp: new Date().toISOString(),
        },
      }
      return [first, note, ...messages.slice(from)]
    },
  },
})

async function summarize(messages: CompactEntry[], { host, signal }: Context): Promise<string> {
  const log = messages.map(({ type, data }) => `${type}: ${textOf(data).slice(0, 2000)}`).join('\n')
  try {
    const { text } = await host.chat({
      model: 'small',
      system:
        'Summarise this part of a conversation between a user and a coding agent: decisions, files, open questions. At most 200 words.',
      messages: [{ role: 'user', content: log }],
    })
    if (text !== '') return text
  } catch (error) {
    signal.throwIfAborted()
    host.log('warn', `no summary: ${error instanceof Error ? error.message : error}`)
  }
  // Without a model, the summary lists the prompts.
  return messages
    .flatMap(({ type, data }) => (type === 'user' ? [`- ${textOf(data).slice(0, 200)}`] : []))
    .join('\n')
}
