// What a plugin finds in a transcript. Each question is a process of its own, so they are asked side by side; one that fails leaves its
// part empty and the others as they are.

import { dirname, join } from 'node:path'
import type { TranscriptAnalyser } from '../../model/agent.ts'
import { noTokens, type TokenUsage } from '../../model/tokens.ts'
import type { Messages } from '../../protocol/external-agent/messages.ts'
import { ask, type Plugin, unlessItFails } from './call.ts'
import type { Info } from './info.ts'

export function pluginAnalyser(plugin: Plugin, { capabilities }: Info): TranscriptAnalyser | undefined {
  const analyses = capabilities.transcript_analyzer === true
  const isAware = capabilities.subagent_aware_extractor === true
  if (!analyses && !isAware && capabilities.token_calculator !== true) return undefined
  const soft = <Value>(answer: Promise<Value>) => unlessItFails(plugin, answer)

  const position = async (reference: string) =>
    analyses ? (await soft(ask(plugin, 'get-transcript-position', { path: reference })))?.position : undefined
  const findFiles = async (call: Call): Promise<string[]> => {
    const { reference, from: offset } = call
    const own = analyses && soft(ask(plugin, 'extract-modified-files', { path: reference, offset }))
    const all =
      isAware &&
      soft(
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
    if (isAware) {
      const total = await soft(
        ask(plugin, 'calculate-total-tokens', { offset, 'subagents-dir': subagentsDir(call) }, bytes),
      )
      if (total) return toUsage(total)
    }
    const own =
      capabilities.token_calculator === true &&
      (await soft(ask(plugin, 'calculate-tokens', { offset }, bytes)))
    return own ? toUsage(own) : noTokens
  }

  return {
    position: async (reference) => (await position(reference)) ?? 0,
    async read(transcript) {
      const end = await position(transcript.reference)
      // Compacted, or begun anew: what was read before is not in it any more.
      const call = end !== undefined && end < transcript.from ? { ...transcript, from: 0 } : transcript
      const [files, prompts, summary, tokens] = await Promise.all([
        findFiles(call),
        analyses &&
          soft(ask(plugin, 'extract-prompts', { 'session-ref': call.reference, offset: call.from })),
        analyses && soft(ask(plugin, 'extract-summary', { 'session-ref': call.reference })),
        countTokens(call),
      ])
      return {
        position: end ?? transcript.from,
        files,
        prompts: prompts ? prompts.prompts : [],
        tokens,
        ...(summary ? spoken(summary) : {}),
      }
    },
  }
}

function spoken({ summary, has_summary: isThere }: Messages['summary']): { summary?: string } {
  return isThere ? { summary } : {}
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
    // Nobody uses tokens without a call; counts without one are no counts to us.
    calls: tokens.api_call_count || (isUsed ? 1 : 0),
  }
}
