// Serves the scripted model, on the loopback interface only, on any free port.
import { asObject, type JsonObject, parseJson } from '../../../src/std/json.ts'
import { chatAnswer, chatEvents, parseChat } from './chat-wire.ts'
import { type Conversation, costOf, type Reply } from './conversation.ts'
import type { Dialect } from './dialect.ts'
import { geminiEvents, parseGemini } from './gemini-wire.ts'
import { messageAnswer, messageEvents, parseMessages } from './messages-wire.ts'
import { parseResponses, responseEvents } from './responses-wire.ts'
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
  /** How many requests wait for an answer that never comes. */
  readonly held: number
}

/** The script has the model think for ever. */
class Unanswered extends Error {}

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
      const id = randomId()
      return body.stream === true
        ? stream([...chatEvents(asked, replied, id), '[DONE]'])
        : Response.json(chatAnswer(asked, replied, id))
    },
  },
  { path: /\/messages\/count_tokens$/, answer: () => Response.json({ input_tokens: 100 }) },
  {
    path: /\/messages$/,
    answer(exchange, body) {
      const { asked, replied } = exchange(parseMessages(body))
      return body.stream === true
        ? stream(messageEvents(asked, replied, randomId()))
        : Response.json(messageAnswer(asked, replied, randomId()))
    },
  },
  {
    path: /\/responses$/,
    answer(exchange, body) {
      const { asked, replied } = exchange(parseResponses(body))
      return stream(responseEvents(asked, replied, randomId()))
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
  let held = 0
  const exchange = (asked: Conversation) => {
    const replied = reply(asked, tools, root)
    if (replied === undefined) throw new Unanswered()
    const made = { asked, replied: { ...replied, cost: costOf(exchanges.length) } }
    exchanges.push(made)
    return made
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // An answer that never comes is not given up.
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const body = asObject(parseJson(await readBody(request))) ?? {}
      for (const { path, answer } of routes) {
        const found = path.exec(pathname)
        try {
          if (found) return answer(exchange, body, found.slice(1))
        } catch (error) {
          if (!(error instanceof Unanswered)) throw error
          held += 1
          return await new Promise<Response>(() => {})
        }
      }
      unknown.push(`${request.method} ${pathname}`)
      return Response.json({ error: { message: `The script has nothing for ${pathname}.` } }, { status: 404 })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    exchanges,
    unknown,
    get held() {
      return held
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
}

function randomId(): string {
  return Math.random().toString(36).slice(2)
}

// Codex compresses long requests.
async function readBody(request: Request): Promise<string> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  const isCompressed = request.headers.get('content-encoding') === 'zstd'
  return Buffer.from(isCompressed ? Bun.zstdDecompressSync(bytes) : bytes).toString('utf8')
}

/** Server-sent events. Those that have a type are named by it. */
function stream(events: (JsonObject | string)[]): Response {
  const named = (event: JsonObject | string) =>
    typeof event === 'string' || event.type === undefined ? '' : `event: ${event.type}\n`
  const body = events
    .map((event) => `${named(event)}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('')
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
