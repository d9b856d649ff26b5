// Describes the built-in agents before they are loaded: hooks load only the agent that runs them.
import type { AgentCard } from '../model/agent.ts'

export const claudeCodeCard = {
  name: 'claude-code',
  type: 'Claude Code',
  hookFiles: ['.claude/settings.json', '.claude/settings.local.json'],
  callerEnv: ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID'],
  callerSessionEnv: 'CLAUDE_CODE_SESSION_ID',
} satisfies AgentCard

export const geminiCard = {
  name: 'gemini',
  type: 'Gemini CLI',
  hookFiles: ['.gemini/settings.json'],
  callerEnv: ['GEMINI_CLI'],
} satisfies AgentCard

export const aiderCard = {
  name: 'aider',
  type: 'Aider',
  callerEnv: [],
  program: 'aider',
} satisfies AgentCard

export const codexCard = {
  name: 'codex',
  type: 'Codex',
  hookFiles: ['.codex/hooks.json'],
  callerEnv: ['CODEX_SESSION_ID', 'CODEX_THREAD_ID'],
  // A subagent has its own thread, and the session is the one it works for.
  callerSessionEnv: 'CODEX_SESSION_ID',
} satisfies AgentCard

export const copilotCliCard = {
  name: 'copilot-cli',
  type: 'Copilot CLI',
  hookFiles: ['.github/hooks/entire.json'],
  callerEnv: ['COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID'],
  callerSessionEnv: 'COPILOT_AGENT_SESSION_ID',
} satisfies AgentCard

export const cursorCard = {
  name: 'cursor',
  type: 'Cursor',
  hookFiles: ['.cursor/hooks.json'],
  callerEnv: ['CURSOR_AGENT'],
  borrows: {
    from: 'claude-code',
    isSender: (payload) => typeof payload.cursor_version === 'string' && payload.cursor_version !== '',
  },
} satisfies AgentCard

export const factoryaiDroidCard = {
  name: 'factoryai-droid',
  type: 'Factory AI Droid',
  hookFiles: ['.factory/settings.json'],
  callerEnv: [],
} satisfies AgentCard

export const opencodeCard = {
  name: 'opencode',
  type: 'OpenCode',
  hookFiles: ['.opencode/plugins/entire.ts'],
  callerEnv: ['OPENCODE'],
  // Set by Entire's plugin for the commands that the agent runs.
  callerSessionEnv: 'ENTIRE_OPENCODE_SESSION',
} satisfies AgentCard

export const piCard = {
  name: 'pi',
  type: 'Pi',
  hookFiles: ['.pi/extensions/entire/index.ts'],
  callerEnv: ['PI_CODING_AGENT', 'ENTIRE_PI_SESSION'],
  callerSessionEnv: 'ENTIRE_PI_SESSION',
} satisfies AgentCard
