// A scripted Claude Code session: it writes files and a transcript, and calls the same hooks the real agent would.
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Stage } from './tour-stage.ts'

export interface Turn {
  prompt: string
  /** What the agent writes, by path. */
  files: Record<string, string>
  reply: string
}

export interface ScriptedAgent {
  /** The hook commands of one turn, in the order in which the agent calls them. */
  play(turn: Turn): void
  end(): void
}

export function startAgent(stage: Stage, session: string): ScriptedAgent {
  const project = stage.root.replace(/[^A-Za-z0-9]/g, '-')
  const transcript = join(stage.home, '.claude', 'projects', project, `${session}.jsonl`)
  mkdirSync(dirname(transcript), { recursive: true })
  let entries = 0

  const payload = (more: object) => JSON.stringify({ session_id: session, transcript_path: transcript, cwd: stage.root, ...more })
  const hook = (name: string, more: object) => stage.run(['entire', 'hooks', 'claude-code', name], payload(more))

  function say(type: 'user' | 'assistant', message: object): void {
    entries += 1
    const entry = {
      type,
      uuid: `entry-${entries}`,
      timestamp: new Date().toISOString(),
      sessionId: session,
      message: { role: type, ...message },
    }
    appendFileSync(transcript, `${JSON.stringify(entry)}\n`)
  }

  function answer(content: object[]): void {
    const usage = { input_tokens: 12, cache_creation_input_tokens: 300, cache_read_input_tokens: 2_400, output_tokens: 180 }
    say('assistant', { id: `msg_${entries}`, model: 'scripted', content, usage })
  }

  return {
    play({ prompt, files, reply }) {
      hook('user-prompt-submit', { hook_event_name: 'UserPromptSubmit', prompt })
      say('user', { content: prompt })
      for (const [path, content] of Object.entries(files)) {
        const id = `toolu_${entries}`
        answer([{ type: 'tool_use', id, name: 'Write', input: { file_path: join(stage.root, path), content } }])
        stage.write(path, content)
        say('user', { content: [{ type: 'tool_result', tool_use_id: id, content: 'File written.' }] })
      }
      answer([{ type: 'text', text: reply }])
      hook('stop', { hook_event_name: 'Stop', last_assistant_message: reply })
    },
    end: () => void hook('session-end', { hook_event_name: 'SessionEnd', reason: 'exit' }),
  }
}
