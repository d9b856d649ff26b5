// Makes a conversation with Claude Code that was not recorded: only the agent's own file has it.
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TempRepo } from './repo.ts'

export interface UnrecordedSession {
  id: string
  transcript: string
  /** Someone asks, the agent writes files and answers. */
  turn(prompt: string, files: Record<string, string>, minute?: number): void
}

/** `dir`: where the agent was started, relative to the root. */
export function unrecordedSession(repo: TempRepo, id: string, dir = ''): UnrecordedSession {
  const started = dir === '' ? repo.root : join(repo.root, dir)
  const place = join(repo.base, 'home', '.claude', 'projects', started.replace(/[^A-Za-z0-9]/g, '-'))
  const transcript = join(place, `${id}.jsonl`)
  let lines = 0
  const log = (line: object, minute: number) => {
    lines += 1
    mkdirSync(place, { recursive: true })
    const timestamp = `2026-01-15T12:${String(minute).padStart(2, '0')}:00.000Z`
    appendFileSync(
      transcript,
      `${JSON.stringify({ uuid: `${id}-${lines}`, sessionId: id, timestamp, ...line })}\n`,
    )
  }
  return {
    id,
    transcript,
    turn(prompt, files, minute = lines) {
      log({ type: 'user', message: { role: 'user', content: prompt } }, minute)
      const tools = Object.entries(files).map(([path, content]) => {
        repo.write(path, content)
        return {
          type: 'tool_use',
          id: `toolu_${lines}_${path}`,
          name: 'Write',
          input: { file_path: join(repo.root, path), content },
        }
      })
      const usage = {
        input_tokens: 10,
        cache_creation_input_tokens: 1,
        cache_read_input_tokens: 5,
        output_tokens: 4,
      }
      const content = [...tools, { type: 'text', text: 'Done.' }]
      log(
        {
          type: 'assistant',
          message: { id: `msg_${lines}`, role: 'assistant', model: 'claude-test-1', content, usage },
        },
        minute + 1,
      )
    },
  }
}
