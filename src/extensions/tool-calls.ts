// Calls a tool: interceptors may change or refuse the call, the owner of the tool runs it, and interceptors
// may change the outcome.

import type { ContentBlock } from '../protocol/extension/content.ts'
import { messageOf } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { asArray, asObject, asString } from '../std/json.ts'
import { requireRunning } from './live-extension.ts'
import type { ExtensionAccess, Tool, ToolCall, ToolOutcome } from './registry.ts'

/** The beginning of the text that a model sees of an interrupted tool. */
export const interruptedText = '[error:TOOL_INTERRUPTED]'

/** Undefined when there is no such tool. Throws only when the signal was aborted before the call began. */
export async function callTool(
  access: ExtensionAccess,
  name: string,
  args: Record<string, unknown>,
  call: ToolCall,
): Promise<ToolOutcome | undefined> {
  const tool = access.registry.tools().get(name)
  if (!tool) return undefined
  call.signal.throwIfAborted()
  try {
    const verdict = await interceptBefore(access, name, { ...args }, call.signal)
    if ('refusal' in verdict) return { content: [{ type: 'text', text: verdict.refusal }], isError: false }
    const outcome = await runTool(access, tool, verdict.args, call)
    return outcome.isError ? outcome : await interceptAfter(access, name, outcome, call.signal)
  } catch (error) {
    return { content: [{ type: 'text', text: messageOf(error) }], isError: true }
  }
}

type Verdict = { args: Record<string, unknown> } | { refusal: string }

/** An interceptor that cannot be asked fails the call. */
async function interceptBefore(
  { registry, running }: ExtensionAccess,
  toolName: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Verdict> {
  let current = args
  for (const { owner, value } of registry.interceptors()) {
    if (!wants(value.hooks, 'before')) continue
    const { name } = value
    try {
      const live = requireRunning(running, owner)
      const verdict = await live.request('interceptor/before', { name, toolName, args: current }, { signal })
      if (!verdict.allow) return { refusal: verdict.preview || `blocked by interceptor: ${name}` }
      current = verdict.args ?? current
    } catch (error) {
      throw new Error(`interceptor ${name} before: ${messageOf(error)}`, { cause: error })
    }
  }
  return { args: current }
}

function wants(hooks: string[] | null | undefined, hook: 'before' | 'after'): boolean {
  return !hooks || hooks.length === 0 || hooks.includes(hook)
}

async function runTool(
  { running }: ExtensionAccess,
  tool: Tool,
  args: Record<string, unknown>,
  call: ToolCall,
): Promise<ToolOutcome> {
  // A tool that must not be interrupted gets a signal that is never aborted.
  const signal = tool.interruptBehavior === 'block' ? new AbortController().signal : call.signal
  if (tool.local) return withErrorCode(await tool.local.execute(args, { ...call, signal }))
  const live = requireRunning(running, tool.owner)
  try {
    return withErrorCode(
      await live.request('tool/execute', { callId: call.id, name: tool.name, args }, { signal }),
    )
  } catch (error) {
    throw new Error(`ext ${tool.owner} tool ${tool.name}: ${messageOf(error)}`, { cause: error })
  }
}

/** An outcome with an error code is an error, and its text shows the code and the hint. */
function withErrorCode(outcome: ToolOutcome): ToolOutcome {
  const { content, isError, errorCode = '', errorHint = '', details } = outcome
  // Every block that is not an image is text.
  const blocks = content.map((block) => (block.type === 'image' ? block : { ...block, type: 'text' }))
  return {
    content: codedContent(blocks, errorCode, errorHint),
    isError: isError || errorCode !== '',
    ...given({ details }),
    ...(errorCode === '' ? {} : { errorCode }),
    ...(errorHint === '' ? {} : { errorHint }),
  }
}

function codedContent(content: ContentBlock[], code: string, hint: string): ContentBlock[] {
  const [first, ...rest] = content
  if (code === '' || first === undefined || first.type === 'image') return content
  const text = first.text ?? ''
  if (text.startsWith('[error:')) return content
  return [{ ...first, text: `[error:${code}] ${text}${hint === '' ? '' : `\nhint: ${hint}`}` }, ...rest]
}

/** Interceptors get the content of the outcome as part of its details. One that fails changes nothing. */
async function interceptAfter(
  { registry, running }: ExtensionAccess,
  toolName: string,
  outcome: ToolOutcome,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  let current = outcome
  for (const { owner, value } of registry.interceptors()) {
    const live = running.find(owner)
    if (!wants(value.hooks, 'after') || !live) continue
    const details = { ...asObject(current.details), content: current.content }
    try {
      const answer = await live.request(
        'interceptor/after',
        { name: value.name, toolName, details },
        { signal },
      )
      current = withDetails(current, answer.details)
    } catch {}
  }
  return current
}

function withDetails(outcome: ToolOutcome, details: unknown): ToolOutcome {
  const { content, ...rest } = asObject(details) ?? {}
  const blocks = blocksOf(typeof details === 'string' ? details : (content ?? asObject(details)?.output))
  return {
    ...outcome,
    ...(blocks ? { content: blocks } : {}),
    ...(Object.keys(rest).length > 0 ? { details: rest } : {}),
  }
}

function blocksOf(content: unknown): ContentBlock[] | undefined {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return undefined
  return asArray(content).flatMap((block) => {
    const { type, text, data, mime } = asObject(block) ?? {}
    return block
      ? [{ type: asString(type) ?? 'text', text: asString(text), data: asString(data), mime: asString(mime) }]
      : []
  })
}
