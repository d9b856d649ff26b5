// A model server with scripted answers: it speaks OpenAI's chat completions, and streams.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Reply {
  text?: string
  thinking?: string
  calls?: { name: string; args?: object; id?: string }[]
  usage?: object
  /** Sent in place of an answer. */
  status?: number
  headers?: Record<string, string>
  /** The pause before the end of the answer. */
  hold?: Promise<unknown>
  /** The connection ends in the middle. */
  breaksOff?: boolean
}

export interface Asked {
  path: string
  authorization: string
  body: {
    model: string
    messages: {
      role: string
      content: unknown
      tool_calls?: { id: string; function: { name: string; arguments: string } }[]
      tool_call_id?: string
    }[]
    tools?: { function: { name: string; description: string; parameters: unknown } }[]
    [field: string]: unknown
  }
}

export interface ModelServer extends AsyncDisposable {
  url: string
  asked: Asked[]
  /** The number of requests that were cancelled before they were answered. */
  takenBack: Asked[]
  /** The next answers, in this order; after them it says `ok`. A function gets the request. */
  say(...replies: (Reply | string | ((asked: Asked) => Reply | string))[]): void
}

export async function modelServer(): Promise<ModelServer> {
  const asked: Asked[] = []
  const takenBack: Asked[] = []
  const replies: Parameters<ModelServer['say']> = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString()
      if (request.method === 'GET') {
        response.end(JSON.stringify({ data: [{ id: 'near-1', owned_by: 'somebody' }, { id: 'near-embed' }] }))
        return
      }
      const question = {
        path: request.url ?? '',
        authorization: request.headers.authorization ?? '',
        body: JSON.parse(text),
      }
      asked.push(question)
      response.once('close', () => response.writableFinished || takenBack.push(question))
      const next = replies.shift() ?? 'ok'
      const reply = typeof next === 'function' ? next(question) : next
      void answer(response, typeof reply === 'string' ? { text: reply } : reply)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    takenBack,
    say: (...more) => void replies.push(...more),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(response: ServerResponse, reply: Reply): Promise<void> {
  if (reply.status) {
    response.writeHead(reply.status, reply.headers)
    response.end(JSON.stringify({ error: { message: reply.text ?? 'no' } }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`)
  const delta = (fields: object) => send({ choices: [{ index: 0, delta: fields }] })
  if (reply.thinking) delta({ reasoning_content: reply.thinking })
  for (const piece of (reply.text ?? '').match(/.{1,4}/gs) ?? []) delta({ content: piece })
  for (const [index, { name, args = {}, id = `call-${name}-${index}` }] of (reply.calls ?? []).entries()) {
    const text = JSON.stringify(args)
    delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text.slice(0, 3) } }] })
    delta({ tool_calls: [{ index, function: { arguments: text.slice(3) } }] })
  }
  await reply.hold
  if (reply.breaksOff) return void response.destroy()
  send({ choices: [{ index: 0, delta: {}, finish_reason: reply.calls ? 'tool_calls' : 'stop' }] })
  send({ choices: [], usage: reply.usage ?? { prompt_tokens: 10, completion_tokens: 5 } })
  response.end('data: [DONE]\n\n')
}
