// The list of agents we know. Order is the order of detection; the first one is the default.
import type { Agent } from '../model/agent.ts'
import { claudeCode } from './claude-code/index.ts'
import { gemini } from './gemini/index.ts'

export const agents: Agent[] = [claudeCode, gemini]

/** Takes the place of the agent that older data calls just `Agent`. */
export const defaultAgent: Agent = claudeCode

export function findAgent(name: string): Agent | undefined {
  return agents.find((agent) => agent.name === name)
}

export function findAgentByType(type: string): Agent | undefined {
  return agents.find((agent) => agent.type === type)
}
