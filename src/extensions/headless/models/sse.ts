// Events that a server sends one after the other over one answer.

/** The data of each event. An event that the end of the stream cut off is left out. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
      if (line !== '' || data.length === 0) continue
      yield data.join('\n')
      data = []
    }
  }
  if (rest.startsWith('data:')) data.push(rest.slice(5).replace(/^ /, ''))
  if (data.length > 0) yield data.join('\n')
}
