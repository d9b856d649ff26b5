// The agents that can be run without an account.
import { copilotCli } from './copilot-cli.ts'
import { gemini } from './gemini.ts'
import type { LiveAgent } from './live-agent.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'

export const liveAgents: LiveAgent[] = [gemini, pi, opencode, copilotCli]
