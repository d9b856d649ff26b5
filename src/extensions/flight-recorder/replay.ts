// Says to an extension again what was once said to it, and compares what it says with what it said then.

import { type Incoming, parseLine } from '../../protocol/extension/peer.ts'
import { asObject, type Json } from '../../std/json.ts'
import type { Environment } from '../launch.ts'
import type { Manifest } from '../manifest.ts'
import { openWire } from '../wire.ts'
import type { RecordedProcess } from './recording.ts'

export interface ReplayOptions {
  env: Environment
  /** Names of fields that may differ. */
  ignore: readonly string[]
  /** How long an answer may take. */
  withinMs: number
  /** How long one waits at the end for what should not come. */
  settleMs?: number
}

export interface Deviation {
  /** When it was said in the recording. */
  ms: number
  /** For people: what it is about. */
  subject: string
  kind: 'missing' | 'different' | 'unexpected' | 'ended'
  was?: Json
  is?: Json
  /** Where in it. */
  path?: string
}

type Recorded = RecordedProcess['entries'][number]

export async function replayProcess(
  manifest: Manifest,
  recorded: RecordedProcess,
  options: ReplayOptions,
): Promise<Deviation[]> {
  const inbox = createInbox()
  const wire = openWire(manifest, options.env, {
    onLine: inbox.push,
    onTooLong: () => {},
    onPrinted: () => {},
  })
  wire.exited.then(inbox.close)
  const deviations: Deviation[] = []
  /** Notices that are looked at with the next answer or request: until then they may come in any order. */
  const notices: Recorded[] = []
  /** Requests have other numbers now. */
  const ids = new Map<number, number>()

  const tell = async ({ message, incoming }: Recorded) => {
    const fields = asObject(message) ?? {}
    const id = incoming.kind === 'answer' ? ids.get(incoming.id) : undefined
    // Nobody asked this time.
    if (incoming.kind === 'answer' && id === undefined) return
    await wire.write(`${JSON.stringify(id === undefined ? fields : { ...fields, id })}\n`).catch(() => {})
  }
  const compare = ({ ms, incoming }: Recorded, said: Incoming | undefined) => {
    const subject = subjectOf(incoming, recorded)
    if (!said) return void deviations.push({ ms, subject, kind: 'missing', was: contentOf(incoming) })
    if (incoming.kind === 'request' && said.kind === 'request') ids.set(incoming.id, said.id)
    const found = findDifference(contentOf(incoming), contentOf(said), options.ignore)
    if (found)
      deviations.push({
        ms,
        subject,
        kind: 'different',
        path: found.path,
        ...withValue('was', found.was),
        ...withValue('is', found.is),
      })
  }
  /** Those that are there as they were go first, because their order is nobody's business. */
  const compareNotices = async () => {
    const rest = notices.splice(0).filter(({ incoming }) => !inbox.find(isSameAs(incoming, options.ignore)))
    for (const entry of rest)
      compare(entry, await inbox.take(candidates(entry.incoming, options.ignore), options.withinMs))
  }
  const expect = async (entry: Recorded) => {
    if (entry.incoming.kind === 'notice') return void notices.push(entry)
    compare(entry, await inbox.take(candidates(entry.incoming, options.ignore), options.withinMs))
    await compareNotices()
  }

  try {
    for (const entry of recorded.entries) {
      if (entry.to === 'extension') await tell(entry)
      else await expect(entry)
      if (inbox.isClosed() && deviations.length > 0)
        return [...deviations, { ms: entry.ms, subject: 'the process', kind: 'ended' }]
    }
    await compareNotices()
    await new Promise((resolve) => setTimeout(resolve, options.settleMs ?? 200))
    const more = inbox.rest().map(
      (said): Deviation => ({
        ms: 0,
        subject: subjectOf(said, recorded),
        kind: 'unexpected',
        is: contentOf(said),
      }),
    )
    return [...deviations, ...more]
  } finally {
    wire.closeInput()
    await wire.kill()
  }
}

/** What counts as the same thing said again, the likeliest first. */
function candidates(was: Incoming, ignore: readonly string[]): ((is: Incoming) => boolean)[] {
  if (was.kind === 'answer') return [(is) => is.kind === 'answer' && is.id === was.id]
  return [isSameAs(was, ignore), (is) => is.kind === was.kind && is.method === was.method]
}

function isSameAs(was: Incoming, ignore: readonly string[]): (is: Incoming) => boolean {
  return (is) => {
    const isAlike = is.kind !== 'answer' && was.kind === is.kind && was.method === is.method
    return isAlike && !findDifference(contentOf(was), contentOf(is), ignore)
  }
}

function contentOf(said: Incoming): Json {
  if (said.kind !== 'answer') return said.params ?? null
  return said.error ? { error: { ...said.error } } : { result: said.result ?? null }
}

function subjectOf(said: Incoming, { entries }: RecordedProcess): string {
  if (said.kind !== 'answer') return `${said.kind} ${said.method}`
  const asked = entries.find(
    ({ to, incoming }) => to === 'extension' && incoming.kind === 'request' && incoming.id === said.id,
  )
  return `answer to ${asked?.incoming.kind === 'request' ? asked.incoming.method : said.id}`
}

function withValue<Key extends 'was' | 'is'>(key: Key, value: Json | undefined) {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, Json>)
}

// Where two JSON values differ first, in words.

export interface Difference {
  /** From the root on, as in `content.0.text`. */
  path: string
  was: Json | undefined
  is: Json | undefined
}

/** `ignored`: names of fields that are different each time, such as `timestamp`. A field that is null is a field that is not there. */
export function findDifference(
  was: Json | undefined,
  is: Json | undefined,
  ignored: readonly string[],
  path = '',
): Difference | undefined {
  const [before, now] = [fieldsOf(was), fieldsOf(is)]
  if (!before || !now || Array.isArray(was) !== Array.isArray(is))
    return (was ?? null) === (is ?? null) ? undefined : { path, was, is }
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (ignored.includes(name)) continue
    const found = findDifference(before[name], now[name], ignored, path === '' ? name : `${path}.${name}`)
    if (found) return found
  }
  return undefined
}

function fieldsOf(value: Json | undefined): Record<string, Json | undefined> | undefined {
  return Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : asObject(value)
}

// What an extension said and nobody has looked at yet, and those who wait for something of it.

type Fits = (said: Incoming) => boolean

interface Waiter {
  fits: Fits[]
  give(said: Incoming): void
}

export function createInbox() {
  const waiting: Incoming[] = []
  const waiters: Waiter[] = []
  const left: (() => void)[] = []
  let closed = false

  return {
    push(line: string): void {
      const said = parseLine(line)
      if (!said) return
      const at = waiters.findIndex(({ fits }) => fits.some((fit) => fit(said)))
      if (at < 0) waiting.push(said)
      else waiters.splice(at, 1)[0]?.give(said)
    },
    /** Takes it only when it is there already. */
    find(fit: Fits): Incoming | undefined {
      const at = waiting.findIndex(fit)
      return at < 0 ? undefined : waiting.splice(at, 1)[0]
    },
    /** The best of what is there, or the first that comes and fits in any way. Undefined when none does in time. */
    async take(fits: Fits[], withinMs: number): Promise<Incoming | undefined> {
      for (const fit of fits) {
        const said = this.find(fit)
        if (said) return said
      }
      if (closed) return undefined
      return await new Promise((resolve) => {
        const waiter: Waiter = { fits, give: done }
        const timer = setTimeout(done, withinMs, undefined)
        function done(said: Incoming | undefined): void {
          clearTimeout(timer)
          if (waiters.includes(waiter)) waiters.splice(waiters.indexOf(waiter), 1)
          resolve(said)
        }
        waiters.push(waiter)
        left.push(() => done(undefined))
      })
    },
    /** Nothing more will come. What is on its way has a moment. */
    close(): void {
      setTimeout(() => {
        closed = true
        for (const leave of left) leave()
      }, 50)
    },
    isClosed: () => closed,
    rest: (): Incoming[] => [...waiting],
  }
}
