// Defines the plugin for the demo agent.
import { defineAgent, jsonlTranscript, settingsHooks } from '../../../src/sdk/agent.ts'
import { type HookPayload, type LogLine, sessionDir, sessionFile } from './session-log.ts'

const common = (payload: HookPayload) => ({
  session: payload.session_id,
  transcript: payload.transcript_path,
  timestamp: payload.timestamp,
  model: payload.model,
})

export const demo = defineAgent({
  name: 'demo',
  type: 'Demo Agent',
  description: 'An agent that plays a script of turns, for tours and tests',
  protectedDirs: ['.demo'],
  callerEnv: ['DEMO_AGENT_SESSION'],
  detect: () => true,
  sessions: { dir: (repoRoot, { home }) => sessionDir(home, repoRoot), file: sessionFile },
  resumeCommand: (session) => `demo-agent --resume ${session}`,
  transcript: jsonlTranscript<LogLine>({
    prompt: (line) => (line.kind === 'prompt' ? line.text : undefined),
    files: (line) => (line.kind === 'edit' ? [line.path] : undefined),
    summary: (line) => (line.kind === 'answer' ? line.text : undefined),
    tokens: (line) =>
      line.kind === 'answer'
        ? {
            input: line.usage.input - line.usage.cached,
            cacheRead: line.usage.cached,
            output: line.usage.output,
          }
        : undefined,
  }),
  hooks: {
    events: {
      'session-start': (payload: HookPayload) => ({ type: 'session-start', ...common(payload) }),
      'turn-start': (payload: HookPayload) => ({
        type: 'turn-start',
        ...common(payload),
        prompt: payload.prompt ?? '',
      }),
      'turn-end': (payload: HookPayload) => ({ type: 'turn-end', ...common(payload) }),
      'session-end': (payload: HookPayload) => ({ type: 'session-end', ...common(payload) }),
    },
    ...settingsHooks({
      agent: 'demo',
      path: '.demo/settings.json',
      hooks: {
        SessionStart: 'session-start',
        TurnStart: 'turn-start',
        TurnEnd: 'turn-end',
        SessionEnd: 'session-end',
      },
    }),
  },
  hookResponse: (message) => `${message.trim()}\n`,
})
