// Defines the plugin for Qwen Code (observed: 0.24.4): its hooks, its settings and its transcripts.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineAgent, jsonlTranscript, settingsHooks } from '../../../src/sdk/agent.ts'

interface Payload {
  session_id: string
  transcript_path: string
  timestamp: string
  model?: string
  prompt?: string
}

interface Line {
  uuid: string
  type: 'user' | 'assistant' | 'tool_result' | 'system'
  provenance?: string
  model?: string
  message?: { parts?: Part[] }
  usageMetadata?: {
    promptTokenCount?: number
    candidatesTokenCount?: number
    cachedContentTokenCount?: number
  }
}

interface Part {
  text?: string
  thought?: boolean
  functionCall?: { name: string; args: { file_path?: string } }
}

const fileTools = new Set(['write_file', 'edit', 'replace'])

const common = (payload: Payload) => ({
  session: payload.session_id,
  transcript: payload.transcript_path,
  timestamp: payload.timestamp,
  ...(payload.model === undefined ? {} : { model: payload.model }),
})

const textOf = (line: Line) =>
  (line.message?.parts ?? [])
    .filter((part) => part.thought !== true)
    .map((part) => part.text ?? '')
    .join('')

export const qwen = defineAgent({
  name: 'qwen',
  type: 'Qwen Code',
  description: 'Qwen Code, the coding agent for the terminal',
  protectedDirs: ['.qwen'],
  callerEnv: ['QWEN_CODE'],
  usesTerminal: true,
  detect: ({ repoRoot, home }) => [repoRoot, home].some((dir) => existsSync(join(dir, '.qwen'))),
  sessions: {
    dir: (repoRoot, { home }) =>
      join(home, '.qwen', 'projects', repoRoot.replace(/[^A-Za-z0-9]/g, '-'), 'chats'),
    file: (dir, session) => join(dir, `${session}.jsonl`),
  },
  resumeCommand: (session) => `qwen --resume ${session}`,
  transcript: jsonlTranscript<Line>({
    // Notifications are lines of the user, too, but were not typed.
    prompt: (line) =>
      line.type === 'user' && (line.provenance ?? 'real_user') === 'real_user' ? textOf(line) : undefined,
    files: (line) =>
      (line.message?.parts ?? []).flatMap(({ functionCall: call }) =>
        call && fileTools.has(call.name) ? [call.args.file_path ?? ''] : [],
      ),
    summary: (line) => (line.type === 'assistant' ? textOf(line) : undefined),
    // Lines of the kind `ui_telemetry` repeat these counts. The count of the prompt includes cached tokens.
    tokens: ({ type, uuid, usageMetadata: usage }) => {
      if (type !== 'assistant' || usage === undefined) return undefined
      const cacheRead = usage.cachedContentTokenCount ?? 0
      return {
        id: uuid,
        input: (usage.promptTokenCount ?? 0) - cacheRead,
        cacheRead,
        output: usage.candidatesTokenCount ?? 0,
      }
    },
  }),
  hooks: {
    events: {
      'session-start': (payload: Payload) => ({ type: 'session-start', ...common(payload) }),
      // Runs again after each round of tools, with an empty prompt, which is not a new turn.
      'user-prompt-submit': (payload: Payload) =>
        payload.prompt ? { type: 'turn-start', ...common(payload), prompt: payload.prompt } : null,
      stop: (payload: Payload) => ({ type: 'turn-end', ...common(payload) }),
      'pre-compact': (payload: Payload) => ({ type: 'compaction', ...common(payload) }),
      'session-end': (payload: Payload) => ({ type: 'session-end', ...common(payload) }),
    },
    ...settingsHooks({
      agent: 'qwen',
      path: '.qwen/settings.json',
      hooks: {
        SessionStart: 'session-start',
        UserPromptSubmit: 'user-prompt-submit',
        Stop: 'stop',
        PreCompact: 'pre-compact',
        SessionEnd: 'session-end',
      },
      // In milliseconds.
      extra: { name: 'entire', timeout: 30_000 },
    }),
  },
})
