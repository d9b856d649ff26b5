// Makes a plugin that cuts transcripts in its own way, and computes the chunks it would store.
import { join } from 'node:path'
import { run } from '../../src/std/process.ts'

const script = join(import.meta.dir, 'own-chunks.mjs')
const bun = process.execPath

/** For the front of a plugin in sh. Keeps its input in the home directory. */
export const ownChunks = `
case $1 in
  chunk-transcript) echo "$@" >> "$HOME/calls"; tee "$HOME/to-cut" | '${bun}' '${script}' cut "$3"; exit $? ;;
  write-session) exec '${bun}' '${script}' write ;;
  reassemble-transcript) echo "$@" >> "$HOME/calls"; exec '${bun}' '${script}' join ;;
esac`

/** The chunks that the plugin makes of a list. */
export async function cutAsPlugin(text: string, maxBytes: number): Promise<string[]> {
  const { stdout } = await run([bun, script, 'cut', String(maxBytes)], {
    cwd: import.meta.dir,
    env: process.env,
    stdin: text,
  })
  const { chunks } = JSON.parse(stdout.toString()) as { chunks: string[] }
  return chunks.map((chunk) => Buffer.from(chunk, 'base64').toString())
}

/** A list as long as wanted, each item with a text of its own. */
export function longList(bytes: number): string {
  const items: string[] = []
  for (let size = 0; size < bytes; size += items.at(-1)?.length ?? 0)
    items.push(
      JSON.stringify({
        role: items.length % 2 === 0 ? 'user' : 'assistant',
        content: `${items.length} ${'word '.repeat(20_000)}`,
      }),
    )
  return `[${items.join(',')}]`
}
