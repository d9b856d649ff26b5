// A tool call: past everybody who may look at it, to whoever has the tool, and back.
import { messageOf } from '../std/errors.ts'
import { withCode } from './coded-error.ts'
import { afterCall, beforeCall } from './interceptors.ts'
import type { ToolCall, ToolOutcome } from './offer.ts'
import type { Tool } from './registry.ts'
import { type Reach, requireRunning } from './running.ts'

/** Undefined when there is no tool of this name. Never throws but for a signal that was aborted before anything began. */
export async function callTool(
  reach: Reach,
  name: string,
  args: Record<string, unknown>,
  call: ToolCall,
): Promise<ToolOutcome | undefined> {
  const tool = reach.registry.tools().get(name)
  if (!tool) return undefined
  call.signal.throwIfAborted()
  try {
    const verdict = await beforeCall(reach, name, { ...args }, call.signal)
    if ('refusal' in verdict) return { content: [{ type: 'text', text: verdict.refusal }], isError: false }
    const outcome = await runTool(reach, tool, verdict.args, call)
    return outcome.isError ? outcome : await afterCall(reach, name, outcome, call.signal)
  } catch (error) {
    return { content: [{ type: 'text', text: messageOf(error) }], isError: true }
  }
}

async function runTool({ running }: Reach, tool: Tool, args: Record<string, unknown>, call: ToolCall): Promise<ToolOutcome> {
  // What must not be interrupted does not hear of it.
  const signal = tool.interruptBehavior === 'block' ? new AbortController().signal : call.signal
  if (tool.local) return coded(await tool.local.execute(args, { ...call, signal }))
  const live = requireRunning(running, tool.owner)
  try {
    const answer = await live.request('tool/execute', { callId: call.id, name: tool.name, args }, { signal })
    return coded(answer)
  } catch (error) {
    throw new Error(`ext ${tool.owner} tool ${tool.name}: ${messageOf(error)}`, { cause: error })
  }
}

function coded({ content, isError, errorCode = '', errorHint = '', details }: ToolOutcome): ToolOutcome {
  return {
    // Whatever is no image is text.
    content: withCode(
      content.map((block) => (block.type === 'image' ? block : { ...block, type: 'text' })),
      errorCode,
      errorHint,
    ),
    isError: isError || errorCode !== '',
    ...(details === undefined ? {} : { details }),
    ...(errorCode === '' ? {} : { errorCode }),
    ...(errorHint === '' ? {} : { errorHint }),
  }
}
