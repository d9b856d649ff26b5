// Plays an agent by a script: it edits files, writes a transcript in Claude's form, and calls the real hooks
// of the compiled program.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RecordedRepo } from './recorded-repo.ts'

export interface FakeAgent {
  session: string
  transcript: string
  hook(
    verb: string,
    fields?: Record<string, unknown>,
    options?: { cwd?: string; env?: Record<string, string> },
  ): Promise<{ code: number; out: string; err: string }>
  /** Starts a session; returns the message for the user. */
  start(source?: string): Promise<string>
  prompt(text: string): Promise<void>
  /** Writes a file with its tool, which the transcript shows. */
  write(path: string, content: string): void
  /** Edits a file in a way the transcript does not show, as a shell command would. */
  run(path: string, content: string): void
  say(text: string): void
  /** Appends any line to the transcript. */
  log(line: Record<string, unknown>): void
  stop(): Promise<void>
  /** Launches a subagent in the foreground, lets it work and waits for it. */
  task(task: FakeTask): Promise<void>
  lines(): string[]
  end(): Promise<void>
  /** A whole turn: prompt, files, stop. */
  turn(prompt: string, files: Record<string, string>): Promise<void>
}

export interface FakeTask {
  toolUse: string
  subagent: string
  description?: string
  /** What the subagent does between its beginning and its end. */
  work(agent: FakeAgent): void | Promise<void>
  /** Files that the subagent's own transcript names as written. */
  files?: Record<string, string>
}

let sessions = 0

export function fakeAgent(repo: RecordedRepo, options: { session?: string } = {}): FakeAgent {
  sessions += 1
  const session = options.session ?? `5e551010-0000-4000-8000-${String(sessions).padStart(12, '0')}`
  const transcript = join(repo.base, 'home', '.claude', 'projects', '-repo', `${session}.jsonl`)
  mkdirSync(dirname(transcript), { recursive: true })
  let entries = 0
  const log = (line: Record<string, unknown>) => {
    entries += 1
    appendFileSync(
      transcript,
      `${JSON.stringify({ uuid: `${session.slice(-4)}-${entries}`, sessionId: session, timestamp: '2026-11-15T12:00:00.000Z', ...line })}\n`,
    )
  }
  const assistant = (content: unknown[]) =>
    log({
      type: 'assistant',
      message: {
        id: `msg_${session.slice(-4)}_${entries}`,
        role: 'assistant',
        model: 'claude-test-1',
        content,
        usage: {
          input_tokens: 10,
          cache_creation_input_tokens: 1,
          cache_read_input_tokens: 5,
          output_tokens: 3,
        },
      },
    })
  const agent: FakeAgent = {
    session,
    transcript,
    async hook(verb, fields = {}, options = {}) {
      const payload = {
        session_id: session,
        transcript_path: transcript,
        cwd: options.cwd ?? repo.root,
        ...fields,
      }
      return repo.entire(['hooks', 'claude-code', verb], { stdin: JSON.stringify(payload), ...options })
    },
    async start(source = 'startup') {
      const out = await check(agent.hook('session-start', { source }))
      return (JSON.parse(out) as { systemMessage: string }).systemMessage
    },
    async prompt(text) {
      await check(agent.hook('user-prompt-submit', { prompt: text }))
      log({ type: 'user', message: { role: 'user', content: text } })
    },
    write(path, content) {
      repo.write(path, content)
      assistant([
        {
          type: 'tool_use',
          id: `toolu_${entries}`,
          name: 'Write',
          input: { file_path: join(repo.root, path), content },
        },
      ])
    },
    run: (path, content) => repo.write(path, content),
    say: (text) => assistant([{ type: 'text', text }]),
    log,
    async stop() {
      await check(agent.hook('stop'))
    },
    async task({ toolUse, subagent, description = 'Do a part', work, files = {} }) {
      const input = { subagent_type: 'general-purpose', description, prompt: 'do it' }
      assistant([{ type: 'tool_use', id: toolUse, name: 'Agent', input }])
      await check(agent.hook('pre-task', { tool_name: 'Agent', tool_use_id: toolUse, tool_input: input }))
      await work(agent)
      const path = join(dirname(transcript), session, 'subagents', `agent-${subagent}.jsonl`)
      mkdirSync(dirname(path), { recursive: true })
      appendFileSync(
        path,
        Object.entries(files)
          .map(([file, content]) => subagentLine(subagent, join(repo.root, file), content))
          .join(''),
      )
      for (const [file, content] of Object.entries(files)) repo.write(file, content)
      log({
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: toolUse, content: 'done' }] },
        toolUseResult: { status: 'completed', agentId: subagent },
      })
      await check(
        agent.hook('post-task', {
          tool_name: 'Agent',
          tool_use_id: toolUse,
          tool_input: input,
          tool_response: { status: 'completed', agentId: subagent },
        }),
      )
    },
    lines: () => readFileSync(transcript, 'utf8').trimEnd().split('\n'),
    async end() {
      await check(agent.hook('session-end', { reason: 'other' }))
    },
    async turn(prompt, files) {
      await agent.prompt(prompt)
      for (const [path, content] of Object.entries(files)) agent.write(path, content)
      agent.say('Done.')
      await agent.stop()
    },
  }
  return agent
}

function subagentLine(subagent: string, path: string, content: string): string {
  const message = {
    id: `msg_${subagent}_${path}`,
    role: 'assistant',
    content: [
      { type: 'tool_use', id: `toolu_${subagent}`, name: 'Write', input: { file_path: path, content } },
    ],
    usage: {
      input_tokens: 100,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 7,
    },
  }
  return `${JSON.stringify({ type: 'assistant', isSidechain: true, agentId: subagent, uuid: `${subagent}-1`, message })}\n`
}

async function check(ran: Promise<{ code: number; out: string; err: string }>): Promise<string> {
  const { code, out, err } = await ran
  if (code !== 0 || /failed:|\bat .*\.ts:\d+/.test(err)) throw new Error(`hook failed (${code}): ${err}`)
  return out
}
