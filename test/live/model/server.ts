// Serves the scripted model, on the loopback interface only, on any free port.
import { asObject, type JsonObject, parseJson } from '../../../src/std/json.ts'
import { chatAnswer, chatEvents, parseChat } from './chat-wire.ts'
import type { Conversation, Reply } from './conversation.ts'
import type { Dialect } from './dialect.ts'
import { geminiEvents, parseGemini } from './gemini-wire.ts'
import { reply } from './script.ts'

export interface Exchange {
  asked: Conversation
  replied: Reply
}

export interface ScriptedModel extends AsyncDisposable {
  url: string
  /** Everything it was asked, oldest first. */
  exchanges: Exchange[]
  /** Requests it has no answer to. */
  unknown: string[]
}

interface Route {
  path: RegExp
  answer(exchange: (asked: Conversation) => Exchange, body: JsonObject, found: string[]): Response
}

const routes: Route[] = [
  {
    path: /\/models\/([^/:]+):streamGenerateContent$/,
    answer(exchange, body, [model = '']) {
      const { asked, replied } = exchange(parseGemini(model, body))
      return stream(geminiEvents(asked, replied))
    },
  },
  {
    path: /\/models\/([^/:]+):generateContent$/,
    answer(exchange, body, [model = '']) {
      const { asked, replied } = exchange(parseGemini(model, body))
      return Response.json(geminiEvents(asked, replied).at(-1))
    },
  },
  { path: /:countTokens$/, answer: () => Response.json({ totalTokens: 100 }) },
  {
    path: /\/chat\/completions$/,
    answer(exchange, body) {
      const { asked, replied } = exchange(parseChat(body))
      const id = Math.random().toString(36).slice(2)
      return body.stream === true
        ? stream([...chatEvents(asked, replied, id), '[DONE]'])
        : Response.json(chatAnswer(asked, replied, id))
    },
  },
  {
    path: /\/models$/,
    answer: () => Response.json({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }),
  },
]

export function startModel(tools: Dialect, root: string): ScriptedModel {
  const exchanges: Exchange[] = []
  const unknown: string[] = []
  const exchange = (asked: Conversation) => {
    const made = { asked, replied: reply(asked, tools, root) }
    exchanges.push(made)
    return made
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const body = asObject(parseJson(await request.text())) ?? {}
      for (const { path, answer } of routes) {
        const found = path.exec(pathname)
        if (found) return answer(exchange, body, found.slice(1))
      }
      unknown.push(`${request.method} ${pathname}`)
      return Response.json({ error: { message: `The script has nothing for ${pathname}.` } }, { status: 404 })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    exchanges,
    unknown,
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
}

/** Server-sent events. */
function stream(events: (JsonObject | string)[]): Response {
  const body = events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('')
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
