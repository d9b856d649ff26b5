// Errors of tools that programs can tell apart: the code stands in front of the text, and what to do about it behind it.
import type { ContentBlock } from '../protocol/extension-content.ts'

export function withCode(content: ContentBlock[], code: string, hint: string): ContentBlock[] {
  const [first, ...rest] = content
  if (code === '' || first === undefined || first.type === 'image') return content
  const text = first.text ?? ''
  if (text.startsWith('[error:')) return content
  return [{ ...first, text: `[error:${code}] ${text}${hint === '' ? '' : `\nhint: ${hint}`}` }, ...rest]
}

/** The beginning of what tools are shown to end with when somebody stopped them. */
export const interruptedText = '[error:TOOL_INTERRUPTED]'
