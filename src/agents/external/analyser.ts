// Asks a plugin what is in a transcript. Each question is a process, so they run in parallel; one that fails leaves its
// part of the answer empty.

import { dirname, join } from 'node:path'
import type { TranscriptAnalyser } from '../../model/agent.ts'
import { noTokens, type TokenUsage } from '../../model/tokens.ts'
import type { Messages } from '../../protocol/external-agent/messages.ts'
import { type AgentPlugin, answerOrReport, ask } from './call.ts'
import type { Info } from './info.ts'

export function pluginAnalyser(plugin: AgentPlugin, { capabilities }: Info): TranscriptAnalyser | undefined {
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
    async read(transcript) {
      const end = await position(transcript.reference)
      // Compacted or rewritten: what was read before is no longer in it.
      const call = end !== undefined && end < transcript.from ? { ...transcript, from: 0 } : transcript
      const [files, prompts, summary, tokens] = await Promise.all([
        findFiles(call),
        analyses &&
          optional(ask(plugin, 'extract-prompts', { 'session-ref': call.reference, offset: call.from })),
        analyses && optional(ask(plugin, 'extract-summary', { 'session-ref': call.reference })),
        countTokens(call),
      ])
      return {
        position: end ?? transcript.from,
        files,
        prompts: prompts ? prompts.prompts : [],
        tokens,
        ...(summary ? summaryIn(summary) : {}),
      }
    },
  }
}

function summaryIn({ summary, has_summary: hasSummary }: Messages['summary']): { summary?: string } {
  return hasSummary ? { summary } : {}
}

type Call = Parameters<TranscriptAnalyser['read']>[0]

/** Beside the transcript, in a directory named after the session, as Claude Code has it. */
function subagentsDir({ reference, session }: Call): string {
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
