// Reads the transcripts of subagents beside that of the agent, and puts the counts of both into the form of the wire.
import type { Answer } from '../../protocol/external-agent.ts'
import type { AgentDefinition, Context } from './definition.ts'
import { rawTranscript } from './raw-transcript.ts'
import { addCounts } from './read-items.ts'
import { readIfThere } from './session-file.ts'
import type { Reading, TokenTotal } from './transcript.ts'

export async function readSubagents(agent: AgentDefinition, dir: string, context: Context): Promise<Reading[]> {
  const paths = (await agent.subagentTranscripts?.(dir, context)) ?? []
  return paths.flatMap((path) => {
    const bytes = readIfThere(path)
    return bytes === undefined ? [] : [(agent.transcript ?? rawTranscript).read(bytes, 0)]
  })
}

export function formatTokens(main: TokenTotal, subagents: TokenTotal[] = []): NonNullable<Answer<'calculate-tokens'>> {
  const others = addCounts(subagents)
  return { ...wire(main), ...(others.calls === 0 ? {} : { subagent_tokens: wire(others) }) }
}

function wire(total: TokenTotal) {
  return {
    input_tokens: total.input,
    output_tokens: total.output,
    cache_creation_tokens: total.cacheCreation,
    cache_read_tokens: total.cacheRead,
    api_call_count: total.calls,
  }
}
