// Before a prompt reaches the model, Pi puts skills and files in the place of their names; people know it by what they typed.
import { cleanPrompt } from '../prompt-text.ts'

const expanded: [RegExp, (name: string) => string][] = [
  [/^<file name="([^"\n]*)">(?:\n[\s\S]*?\n|[^\n]*)<\/file>\n/, (name) => `@${name}`],
  [/^<skill name="([^"\n]*)" location="[^"\n]*">\n[\s\S]*?\n<\/skill>(?:\n\n|$)/, (name) => `/skill:${name}`],
]

/** What the user typed, or undefined when nothing of it is theirs. */
export function typedPrompt(prompt: string): string | undefined {
  const names: string[] = []
  let rest = prompt
  for (let found = findExpanded(rest); found !== undefined; found = findExpanded(rest)) {
    names.push(found.typed)
    rest = rest.slice(found.length)
  }
  return cleanPrompt([...names, rest].join(' '))
}

function findExpanded(text: string): { typed: string; length: number } | undefined {
  for (const [pattern, typed] of expanded) {
    const match = pattern.exec(text)
    if (match) return { typed: typed(match[1] ?? ''), length: match[0].length }
  }
  return undefined
}
