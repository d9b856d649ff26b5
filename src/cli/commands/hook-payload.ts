// The payload of an agent's hook: JSON on standard input, or as the last argument for agents that pass it so.
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { EntireError } from '../../std/errors.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { isDevice } from '../streams.ts'

const idleMs = 2_000
const maxBytes = 256 * 1024 * 1024

export interface Payload {
  /** As it came. */
  raw: Buffer
  json: JsonObject
}

/** `anything`: what an external agent sends is for its plugin to understand, and may be nothing at all. */
export async function readPayload(args: string[], { anything = false } = {}): Promise<Payload> {
  const sent = isDevice(0) ? Buffer.alloc(0) : await readStdin()
  const isEmpty = sent.toString('utf8').trim() === ''
  const argument = isEmpty ? asObject(parseJson(args.at(-1) ?? '')) : undefined
  const raw = argument === undefined ? sent : Buffer.from(args.at(-1) ?? '')
  const json = argument ?? asObject(parseJson(sent.toString('utf8')))
  if (json !== undefined) return { raw, json }
  if (anything) return { raw, json: {} }
  throw new EntireError('bad-payload', isEmpty ? 'The hook got no input.' : 'The hook input is not a JSON object.', {
    hint: 'Agents call this command; by hand, pass the payload on standard input.',
  })
}

async function readStdin(): Promise<Buffer> {
  const stat = fstatSync(0)
  if (stat.isFile() && stat.size <= maxBytes) return readFileSync(0)
  const there = stat.isFIFO() ? readWhatIsThere() : Buffer.alloc(0)
  return isWhole([there]) ? there : await readOn(there)
}

// Agents write before we are up, and a look takes a fraction of the time of a stream. Opened anew, the pipe can be told not to wait.
function readWhatIsThere(): Buffer {
  let fd: number | undefined
  try {
    fd = openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK)
    const buffer = Buffer.allocUnsafe(64 * 1024)
    return buffer.subarray(0, readSync(fd, buffer))
  } catch {
    // Nothing is there yet, or the system has no such file: whoever waits hears more.
    return Buffer.alloc(0)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

// Some agents keep the pipe open: a complete value is enough, and silence ends the wait.
async function readOn(there: Buffer): Promise<Buffer> {
  const reader = Bun.stdin.stream().getReader()
  const parts = [there]
  let size = there.length
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
    if (isWhole(parts)) break
  }
  // A reader that waits would keep the process alive for as long as the pipe is open.
  void reader.cancel()
  return Buffer.concat(parts)
}

function isWhole(parts: Buffer[]): boolean {
  const end = parts.at(-1)?.subarray(-16).toString('latin1').trimEnd()
  return end?.endsWith('}') === true && parseJson(Buffer.concat(parts).toString('utf8')) !== undefined
}
