// What of a transcript's lines is worth storing: some agents write things in them that nobody but their maker can read.
import type { TranscriptFormat } from '../model/agent.ts'

export function stripLines({ strip }: Pick<TranscriptFormat, 'strip'>, text: string): string {
  if (strip === undefined) return text
  return text
    .split('\n')
    .map((line) => strip(line))
    .join('\n')
}
