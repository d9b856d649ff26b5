// The agents that can be run without an account.
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { copilotCli } from './copilot-cli.ts'
import { gemini } from './gemini.ts'
import type { LiveAgent } from './live-agent.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'

export const liveAgents: LiveAgent[] = [claudeCode, codex, gemini, pi, opencode, copilotCli]
