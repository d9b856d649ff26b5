// Who runs the commit: an agent, and perhaps which of its sessions, or a person at a terminal.
import { closeSync, openSync } from 'node:fs'
import type { AgentCard, Env } from '../model/agent.ts'

export interface Caller {
  /** Session named in the environment of the process that commits. */
  session: string | undefined
  /** Type of the agent that named it. */
  agentType?: string | undefined
  hasTerminal: boolean
}

export function findCaller(env: Env, agents: AgentCard[]): Caller {
  const namer = agents.find(({ callerSessionEnv }) => callerSessionEnv !== undefined && env[callerSessionEnv])
  const byAgent = agents.some((agent) => agent.callerEnv.some((name) => env[name]))
  return {
    session: namer && env[namer.callerSessionEnv ?? ''],
    agentType: namer?.type,
    hasTerminal: terminalSays(env.ENTIRE_TEST_TTY) ?? (!byAgent && env.GIT_TERMINAL_PROMPT !== '0' && canOpenTerminal()),
  }
}

function terminalSays(seam: string | undefined): boolean | undefined {
  return seam ? seam === '1' : undefined
}

function canOpenTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'))
    return true
  } catch {
    return false
  }
}
