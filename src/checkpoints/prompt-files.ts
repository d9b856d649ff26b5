// Formats and parses prompt.txt and context.md, which hold the prompts for people and for older readers of a
// checkpoint.

import type { SessionRecord } from '../model/checkpoint.ts'

const separator = '\n\n---\n\n'

export function joinPrompts(prompts: string[]): string {
  return prompts.join(separator)
}

export function splitPrompts(text: string): string[] {
  return text === '' ? [] : text.split(separator)
}

/** Stored prompts followed by those noted since, which may repeat some of them. */
export function mergePrompts(stored: string[], noted: string[]): string[] {
  const isAt = (at: number, part: string[], all: string[]) =>
    part.every((prompt, index) => all[at + index] === prompt)
  if (noted.some((_, at) => isAt(at, stored, noted))) return noted
  const repeated = stored.findIndex((_, at) => isAt(0, stored.slice(at), noted))
  return [...(repeated === -1 ? stored : stored.slice(0, repeated)), ...noted]
}

/** Cleaned prompts of a stored prompt.txt. */
export function parsePrompts(text: string): string[] {
  return splitPrompts(text)
    .map((prompt) => prompt.trim())
    .filter((prompt) => prompt !== '' && !/^-+$/.test(prompt))
}

/**
 * The prompt that a checkpoint is about: the first since the previous one. Before its version 0.5 the reference
 * program stored all prompts of the session with each checkpoint; the last one is certainly its own.
 */
export function ownPrompt(
  { cliVersion = '0.4', transcriptStart }: Pick<SessionRecord, 'cliVersion' | 'transcriptStart'>,
  prompts: string[],
): string | undefined {
  const hasAll = transcriptStart > 0 && /^0\.4\b/.test(cliVersion)
  return hasAll ? prompts.at(-1) : prompts[0]
}

/** The context.md of a step. */
export function turnContext(turn: {
  session: string
  subject: string
  prompts: string[]
  summary?: string | undefined
}): string {
  const sections = [
    '# Session Context',
    `**Session ID:** ${turn.session}`,
    `**Commit Message:** ${turn.subject}`,
    ...(turn.prompts.length === 0
      ? []
      : ['## Prompts', ...turn.prompts.map((prompt, index) => `### Prompt ${index + 1}\n\n${prompt}`)]),
    ...(turn.summary ? ['## Summary', turn.summary] : []),
  ]
  return `${sections.join('\n\n')}\n`
}

/** The context.md of a checkpoint; empty when it has no prompts. */
export function checkpointContext(prompts: string[]): string {
  if (prompts.length === 0) return ''
  const sections = prompts.map((prompt, index) => `### Prompt ${index + 1}\n\n${cutTo500(prompt)}\n\n`)
  return `# Session Context\n\n## User Prompts\n\n${sections.join('')}`
}

// 500 bytes at most, whole characters only.
function cutTo500(prompt: string): string {
  const bytes = Buffer.from(prompt)
  if (bytes.length <= 500) return prompt
  let end = 500
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1
  return `${bytes.toString('utf8', 0, end)}...`
}
