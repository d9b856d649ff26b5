// What the user typed, of a prompt as OpenCode keeps it: words that came as one argument of a command line are kept in quotes.
import { cleanPrompt } from '../prompt-text.ts'

const quoted = /^"((?:[^"\\]|\\[\s\S])*)"$/

export function typedText(prompt: string): string | undefined {
  const inner = quoted.exec(prompt.trim())?.[1]
  return cleanPrompt(inner?.includes(' ') ? inner.replaceAll('\\"', '"') : prompt)
}
