// Those who look at every tool call. Before it they may change or refuse it: one who cannot be asked refuses. After it they may change
// what it said.

import type { ContentBlock } from '../protocol/extension-content.ts'
import { messageOf } from '../std/errors.ts'
import { asArray, asObject, asString } from '../std/json.ts'
import type { ToolOutcome } from './offer.ts'
import { type Reach, requireRunning } from './running.ts'

type Verdict = { args: Record<string, unknown> } | { refusal: string }

export async function beforeCall(
  { registry, running }: Reach,
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
  { registry, running }: Reach,
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
      const answer = await live.request('interceptor/after', { name: value.name, toolName, details }, { signal })
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
  const blocks = typeof details === 'string' ? textOf(details) : contentOf(content ?? asObject(details)?.output)
  return { ...outcome, ...(blocks ? { content: blocks } : {}), ...(Object.keys(rest).length > 0 ? { details: rest } : {}) }
}

function contentOf(content: unknown): ContentBlock[] | undefined {
  if (typeof content === 'string') return textOf(content)
  if (!Array.isArray(content)) return undefined
  return asArray(content).flatMap((block) => {
    const { type, text, data, mime } = asObject(block) ?? {}
    return block ? [{ type: asString(type) ?? 'text', text: asString(text), data: asString(data), mime: asString(mime) }] : []
  })
}

function textOf(text: string): ContentBlock[] {
  return [{ type: 'text', text }]
}
