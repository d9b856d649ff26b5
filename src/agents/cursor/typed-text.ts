// What the user typed in Cursor: in transcripts it stands in a tag, among what the editor adds about open files and the time.
import { cleanPrompt } from '../prompt-text.ts'

const query = /<user_query>([\s\S]*?)<\/user_query>/g
const time = /^\s*<timestamp>[\s\S]*?<\/timestamp>/

export function typedText(text: string): string | undefined {
  const queries = [...text.matchAll(query)].map(([, typed]) => (typed as string).trim())
  return cleanPrompt(queries.length > 0 ? queries.join('\n\n') : text.replace(time, ''))
}
