// The part of Google's Gemini API that its own agent uses: contents in, a stream of candidates out.
import type { JsonObject } from '../../../src/std/json.ts'
import type { Conversation, Reply, Said } from './conversation.ts'
import { objects, textOf } from './objects.ts'

export function parseGemini(model: string, body: JsonObject): Conversation {
  const declared = objects(body.tools).flatMap((tool) => objects(tool.functionDeclarations))
  return {
    model,
    said: objects(body.contents).map(parseContent),
    tools: declared.map(({ name }) => String(name)),
  }
}

function parseContent({ role, parts }: JsonObject): Said {
  const has = (key: string) => objects(parts).some((part) => part[key] !== undefined)
  return {
    role: role === 'model' ? 'model' : has('functionResponse') ? 'tool' : 'user',
    text: textOf(parts),
    called: has('functionCall'),
  }
}

/** Words first, then the calls: an event each, as the service streams them. */
export function geminiEvents({ model }: Conversation, { text, calls, cost }: Reply): JsonObject[] {
  const words = text === '' ? [] : [{ text }]
  const functions = calls.map(({ tool, args }) => ({ functionCall: { name: tool, args } }))
  const pieces: JsonObject[][] = [words, functions].filter((parts) => parts.length > 0)
  return pieces.map((parts, index) => ({
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts },
        ...(index === pieces.length - 1 ? { finishReason: 'STOP' } : {}),
      },
    ],
    modelVersion: model,
    usageMetadata: {
      promptTokenCount: cost.input,
      cachedContentTokenCount: cost.cached,
      candidatesTokenCount: cost.output,
      totalTokenCount: cost.input + cost.output,
    },
  }))
}
