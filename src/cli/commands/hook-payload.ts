// The payload of an agent's hook: JSON on standard input, or as the last argument for agents that pass it so.
import { EntireError } from '../../std/errors.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { isDevice } from '../streams.ts'

const idleMs = 2_000
const maxBytes = 256 * 1024 * 1024

export async function readPayload(args: string[]): Promise<JsonObject> {
  const text = isDevice(0) ? '' : await readStdin()
  const payload = asObject(parseJson(text.trim() === '' ? (args.at(-1) ?? '') : text))
  if (payload !== undefined) return payload
  throw new EntireError('bad-payload', text.trim() === '' ? 'The hook got no input.' : 'The hook input is not a JSON object.', {
    hint: 'Agents call this command; by hand, pass the payload on standard input.',
  })
}

// Some agents keep the pipe open: a complete value is enough, and silence ends the wait.
async function readStdin(): Promise<string> {
  const reader = Bun.stdin.stream().getReader()
  const parts: Buffer[] = []
  let size = 0
  for (;;) {
    const { promise: silence, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), idleMs)
    const next = await Promise.race([reader.read(), silence])
    clearTimeout(timer)
    if (next === undefined || next.done) break
    const part = Buffer.from(next.value)
    parts.push(part)
    size += part.length
    if (size > maxBytes) throw new EntireError('bad-payload', 'The hook input is larger than 256 MiB.')
    if (endsObject(part) && parseJson(Buffer.concat(parts).toString('utf8')) !== undefined) break
  }
  // A reader that waits would keep the process alive for as long as the pipe is open.
  void reader.cancel()
  return Buffer.concat(parts).toString('utf8')
}

function endsObject(part: Buffer): boolean {
  return part.subarray(-16).toString('latin1').trimEnd().endsWith('}')
}
