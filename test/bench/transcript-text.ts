// Makes transcript lines that look like an agent's: prompts, prose, tool calls with code, results. Equal
// seeds give equal lines, except for the tag.
const words =
  `the a function value returns error when file path test adds reads writes state session commit branch because
 should parse import export const await string number object array index length check before after each while if else`.split(
    /\s+/,
  )

function* prose(seed: number): Generator<string, never> {
  for (let at = seed; ; at = (at * 1_103_515_245 + 12_345) % 2_147_483_648)
    yield words[(at >> 8) % words.length] ?? 'the'
}

function take(source: Generator<string, never>, count: number): string {
  return Array.from({ length: count }, () => source.next().value).join(' ')
}

export interface TranscriptOptions {
  tag: string
  seed: number
  bytes: number
  files: string[]
}

/** Yields about `bytes` of JSONL in pieces, ending with the message that a stop hook announces. */
export function* transcriptText({ tag, seed, bytes, files }: TranscriptOptions): Generator<string> {
  const source = prose(seed)
  const timestamp = '2026-01-02T03:04:05.678Z'
  let entry = 0
  const line = (type: string, message: object) => {
    entry += 1
    return `${JSON.stringify({ type, uuid: `${tag}-${entry}`, timestamp, message: { role: type, ...message } })}\n`
  }
  const assistant = (content: object[]) =>
    line('assistant', {
      id: `msg_${tag}_${entry}`,
      model: 'bench',
      content,
      usage: { input_tokens: 5, output_tokens: 50 },
    })

  let piece = line('user', { content: `please do ${tag}` })
  for (const path of files)
    piece += assistant([
      { type: 'tool_use', id: `toolu_${entry}`, name: 'Write', input: { file_path: path, content: tag } },
    ])
  for (let written = 0; written < bytes; ) {
    const before = piece.length
    piece += assistant([{ type: 'text', text: `${tag} ${take(source, 60)}` }])
    piece += assistant([
      {
        type: 'tool_use',
        id: `toolu_${entry}`,
        name: 'Bash',
        input: { command: take(source, 20), description: tag },
      },
    ])
    piece += line('user', {
      content: [{ type: 'tool_result', tool_use_id: `toolu_${entry}`, content: take(source, 200) }],
    })
    written += piece.length - before
    if (piece.length < 1_000_000) continue
    yield piece
    piece = ''
  }
  yield piece + assistant([{ type: 'text', text: `Done with ${tag}.` }])
}
