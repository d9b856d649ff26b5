// A tool call: past everybody who may look at it, to whoever has the tool, and back.

import type { ContentBlock } from '../protocol/extension/content.ts'
import { messageOf } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { asArray, asObject, asString } from '../std/json.ts'
import { requireRunning } from './live-extension.ts'
import type { ExtensionAccess, Tool, ToolCall, ToolOutcome } from './registry.ts'

/** Undefined when there is no tool of this name. Never throws but for a signal that was aborted before anything began. */
export async function callTool(
  reach: ExtensionAccess,
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

async function runTool(
  { running }: ExtensionAccess,
  tool: Tool,
  args: Record<string, unknown>,
  call: ToolCall,
): Promise<ToolOutcome> {
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
    ...given({ details }),
    ...(errorCode === '' ? {} : { errorCode }),
    ...(errorHint === '' ? {} : { errorHint }),
  }
}

// Those who look at every tool call. Before it they may change or refuse it: one who cannot be asked refuses. After it they may change
// what it said.

type Verdict = { args: Record<string, unknown> } | { refusal: string }

export async function beforeCall(
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

/** What they are shown has the content of the answer in it, so that they can change it. */
export async function afterCall(
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
      current = changed(current, answer.details)
    } catch {
      // What there was stays.
    }
  }
  return current
}

function wants(hooks: string[] | null | undefined, hook: 'before' | 'after'): boolean {
  return !hooks || hooks.length === 0 || hooks.includes(hook)
}

function changed(outcome: ToolOutcome, details: unknown): ToolOutcome {
  const { content, ...rest } = asObject(details) ?? {}
  const blocks =
    typeof details === 'string' ? textOf(details) : contentOf(content ?? asObject(details)?.output)
  return {
    ...outcome,
    ...(blocks ? { content: blocks } : {}),
    ...(Object.keys(rest).length > 0 ? { details: rest } : {}),
  }
}

function contentOf(content: unknown): ContentBlock[] | undefined {
  if (typeof content === 'string') return textOf(content)
  if (!Array.isArray(content)) return undefined
  return asArray(content).flatMap((block) => {
    const { type, text, data, mime } = asObject(block) ?? {}
    return block
      ? [{ type: asString(type) ?? 'text', text: asString(text), data: asString(data), mime: asString(mime) }]
      : []
  })
}

function textOf(text: string): ContentBlock[] {
  return [{ type: 'text', text }]
}

// Errors of tools that programs can tell apart: the code stands in front of the text, and what to do about it behind it.

export function withCode(content: ContentBlock[], code: string, hint: string): ContentBlock[] {
  const [first, ...rest] = content
  if (code === '' || first === undefined || first.type === 'image') return content
  const text = first.text ?? ''
  if (text.startsWith('[error:')) return content
  return [{ ...first, text: `[error:${code}] ${text}${hint === '' ? '' : `\nhint: ${hint}`}` }, ...rest]
}

/** The beginning of what tools are shown to end with when somebody stopped them. */
export const interruptedText = '[error:TOOL_INTERRUPTED]'
