// Asks a plugin what its transcript says since the last time, and remembers marks: places that were read to, with
// what was counted there. After a rewind, counting continues at the last mark that is still in the transcript; one
// that begins anew has none, and counts in full.

import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TranscriptAnalyser, TranscriptAnalysis } from '../../model/agent.ts'
import { noTokens, subtractTokens, type TokenUsage, totalTokens } from '../../model/tokens.ts'
import type { Messages } from '../../protocol/external-agent/messages.ts'
import { given } from '../../std/given.ts'
import { asArray, asCount, asObject, asString, type Json, type JsonObject } from '../../std/json.ts'
import { answerOrReport, ask, type PluginProgram } from './call.ts'
import type { Info } from './info.ts'
import { anyTranscript, readItems } from './transcript.ts'

export function pluginAnalyser(
  plugin: PluginProgram,
  { capabilities }: Info,
): TranscriptAnalyser | undefined {
  const analyses = capabilities.transcript_analyzer === true
  const readsSubagents = capabilities.subagent_aware_extractor === true
  if (!analyses && !readsSubagents && capabilities.token_calculator !== true) return undefined
  const optional = <Value>(answer: Promise<Value>) => answerOrReport(plugin, answer)

  const position = async (reference: string) =>
    analyses
      ? (await optional(ask(plugin, 'get-transcript-position', { path: reference })))?.position
      : undefined
  const findFiles = async (call: Call): Promise<string[]> => {
    const { reference, from: offset } = call
    const own = analyses && optional(ask(plugin, 'extract-modified-files', { path: reference, offset }))
    const all =
      readsSubagents &&
      optional(
        ask(
          plugin,
          'extract-all-modified-files',
          { offset, 'subagents-dir': subagentsDir(call) },
          call.bytes,
        ),
      )
    const answers = await Promise.all([own, all])
    return [...new Set(answers.flatMap((answer) => (answer ? answer.files : [])))]
  }
  const countTokens = async (call: Call): Promise<TokenUsage> => {
    const { from: offset, bytes } = call
    if (readsSubagents) {
      const total = await optional(
        ask(plugin, 'calculate-total-tokens', { offset, 'subagents-dir': subagentsDir(call) }, bytes),
      )
      if (total) return toUsage(total)
    }
    const own =
      capabilities.token_calculator === true &&
      (await optional(ask(plugin, 'calculate-tokens', { offset }, bytes)))
    return own ? toUsage(own) : noTokens
  }

  return {
    position: async (reference) => (await position(reference)) ?? 0,
    async read({ start, carry, ...transcript }) {
      const whole = wholeOf(transcript, readsSubagents)
      if (carry !== undefined && carry.whole === whole) return nothingNew(carry)
      const end = await position(transcript.reference)
      const content = Buffer.from(transcript.bytes)
      const marks = asArray(carry?.marks).flatMap(parseMark)
      const known = carry === undefined ? { position: start } : findMark(content, carry, marks)
      // Compacted: what was read before is no longer in it.
      const isShorter = end !== undefined && end < known.position
      const call = { ...transcript, from: isShorter ? 0 : known.position }
      const [files, prompts, summary, tokens] = await Promise.all([
        findFiles(call),
        analyses &&
          optional(ask(plugin, 'extract-prompts', { 'session-ref': call.reference, offset: call.from })),
        analyses && optional(ask(plugin, 'extract-summary', { 'session-ref': call.reference })),
        countTokens(call),
      ])
      // Without an answer, the same part is asked for again.
      const isUnanswered = analyses && end === undefined
      const mark: Mark = { ...placeIn(content), position: end ?? 0, ...(analyses ? {} : { totals: tokens }) }
      return {
        carry: {
          ...(isUnanswered ? {} : { whole }),
          position: isUnanswered ? known.position : mark.position,
          marks: (isUnanswered ? marks : [...withoutLater(marks, mark), mark])
            .slice(-rememberedMarks)
            .map(formatMark),
        },
        isUncertain: isShorter,
        files,
        prompts: prompts ? prompts.prompts : [],
        tokens: isUnanswered ? noTokens : analyses ? tokens : growth(tokens, known.totals),
        ...(summary ? summaryIn(summary) : {}),
      }
    },
  }
}

/** Names everything that an answer depends on: while it is the same, the plugin is not asked again. */
function wholeOf(transcript: Omit<Call, 'from'>, readsSubagents: boolean): string {
  const hash = new Bun.CryptoHasher('sha1').update(transcript.bytes)
  if (readsSubagents) for (const stamp of listStamps(subagentsDir(transcript))) hash.update(`\0${stamp}`)
  return hash.digest('hex')
}

function nothingNew(carry: JsonObject): TranscriptAnalysis {
  return { carry, isUncertain: false, files: [], prompts: [], tokens: noTokens }
}

function listStamps(dir: string): string[] {
  try {
    return readdirSync(dir)
      .sort()
      .map((name) => `${name} ${statSync(join(dir, name)).size} ${statSync(join(dir, name)).mtimeMs}`)
  } catch {
    // There are no subagents, or one is just being written.
    return []
  }
}

const rememberedMarks = 16
const sealBytes = 1024

/** Bytes of a transcript in lines, items of a document. */
interface Place {
  at: number
  /** Hash of what must still be there: the lines before, or the first item. */
  seal: string
}

interface Mark extends Place {
  position: number
  /** For a plugin that cannot tell positions: what it counted from the beginning to here. */
  totals?: TokenUsage
}

function placeIn(content: Buffer): Place {
  const items = documentItems(content)
  const at = items?.length ?? content.length
  return { at, seal: sealAt(content, items, at) }
}

function sealAt(content: Buffer, items: Json[] | undefined, at: number): string {
  const sealed =
    items === undefined ? content.subarray(Math.max(0, at - sealBytes), at) : JSON.stringify(items[0] ?? null)
  return new Bun.CryptoHasher('sha1').update(sealed).digest('hex').slice(0, 16)
}

// A document is rewritten each time, so its bytes tell nothing.
function documentItems(content: Buffer): Json[] | undefined {
  const isDocument = anyTranscript.shape(content.subarray(0, 256).toString('utf8')) === 'document'
  return isDocument ? readItems(content.toString('utf8')) : undefined
}

function findMark(content: Buffer, carry: JsonObject, marks: Mark[]): Pick<Mark, 'position' | 'totals'> {
  const items = documentItems(content)
  const size = items?.length ?? content.length
  const found = marks.findLast(({ at, seal }) => at <= size && sealAt(content, items, at) === seal)
  // Earlier versions noted the position only.
  return found ?? { position: marks.length === 0 ? asCount(carry.position) : 0 }
}

// They belong to turns that were taken back.
function withoutLater(marks: Mark[], { at }: Mark): Mark[] {
  return marks.filter((mark) => mark.at < at)
}

function formatMark({ at, seal, position, totals }: Mark): JsonObject {
  return { at, seal, position, ...given({ totals: totals as JsonObject | undefined }) }
}

function parseMark(value: Json): Mark[] {
  const record = asObject(value)
  const seal = asString(record?.seal)
  if (record === undefined || seal === undefined) return []
  const totals = parseUsage(record.totals)
  return [{ at: asCount(record.at), seal, position: asCount(record.position), ...given({ totals }) }]
}

function parseUsage(value: Json | undefined): TokenUsage | undefined {
  const record = asObject(value)
  if (record === undefined) return undefined
  const subagents = parseUsage(record.subagents)
  return {
    input: asCount(record.input),
    cacheCreation: asCount(record.cacheCreation),
    cacheRead: asCount(record.cacheRead),
    output: asCount(record.output),
    calls: asCount(record.calls),
    ...given({ subagents }),
  }
}

/** Tokens are used only by calls, also where the number of calls is not known. */
function growth(total: TokenUsage, counted: TokenUsage | undefined): TokenUsage {
  const more = subtractTokens(total, counted)
  if (totalTokens(more) > 0 && more.calls === 0) more.calls = 1
  return more
}

function summaryIn({ summary, has_summary: hasSummary }: Messages['summary']): { summary?: string } {
  return hasSummary ? { summary } : {}
}

type Call = Pick<Parameters<TranscriptAnalyser['read']>[0], 'reference' | 'session' | 'bytes'> & {
  from: number
}

/** Beside the transcript, in a directory named after the session, as Claude Code has it. */
function subagentsDir({ reference, session }: Omit<Call, 'from'>): string {
  return join(dirname(reference), session, 'subagents')
}

function toUsage(tokens: NonNullable<Messages['tokens']>): TokenUsage {
  const { subagent_tokens: subagents } = tokens
  return { ...plainUsage(tokens), ...(subagents ? { subagents: plainUsage(subagents) } : {}) }
}

type WireTokens = Omit<NonNullable<Messages['tokens']>, 'subagent_tokens'>

function plainUsage(tokens: WireTokens): TokenUsage {
  const isUsed = tokens.input_tokens + tokens.output_tokens > 0
  return {
    input: tokens.input_tokens,
    output: tokens.output_tokens,
    cacheCreation: tokens.cache_creation_tokens ?? 0,
    cacheRead: tokens.cache_read_tokens ?? 0,
    // Tokens are used only by calls, so usage without a count of calls is at least one call.
    calls: tokens.api_call_count || (isUsed ? 1 : 0),
  }
}
