// Says to an extension again what was once said to it, and compares what it says with what it said then.
import type { Incoming } from '../../protocol/extension-line.ts'
import { asObject, type Json } from '../../std/json.ts'
import type { Environment } from '../environment.ts'
import type { Manifest } from '../manifest.ts'
import { openWire } from '../wire.ts'
import { findDifference } from './difference.ts'
import { createInbox } from './inbox.ts'
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

export async function replayProcess(manifest: Manifest, recorded: RecordedProcess, options: ReplayOptions): Promise<Deviation[]> {
  const inbox = createInbox()
  const wire = openWire(manifest, options.env, { onLine: inbox.push, onTooLong: () => {}, onPrinted: () => {} })
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
      deviations.push({ ms, subject, kind: 'different', path: found.path, ...withValue('was', found.was), ...withValue('is', found.is) })
  }
  /** Those that are there as they were go first, because their order is nobody's business. */
  const compareNotices = async () => {
    const rest = notices.splice(0).filter(({ incoming }) => !inbox.find(isSameAs(incoming, options.ignore)))
    for (const entry of rest) compare(entry, await inbox.take(candidates(entry.incoming, options.ignore), options.withinMs))
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
      if (inbox.isClosed() && deviations.length > 0) return [...deviations, { ms: entry.ms, subject: 'the process', kind: 'ended' }]
    }
    await compareNotices()
    await new Promise((resolve) => setTimeout(resolve, options.settleMs ?? 200))
    const more = inbox
      .rest()
      .map((said): Deviation => ({ ms: 0, subject: subjectOf(said, recorded), kind: 'unexpected', is: contentOf(said) }))
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
  const asked = entries.find(({ to, incoming }) => to === 'extension' && incoming.kind === 'request' && incoming.id === said.id)
  return `answer to ${asked?.incoming.kind === 'request' ? asked.incoming.method : said.id}`
}

function withValue<Key extends 'was' | 'is'>(key: Key, value: Json | undefined) {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, Json>)
}
