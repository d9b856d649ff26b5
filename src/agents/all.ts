// Loads all agents at once, for commands that list them or let the user choose.

import type { Agent } from '../model/agent.ts'
import { everyAgent, loadAgents } from './index.ts'

everyAgent.splice(0, everyAgent.length, ...(await loadAgents()))

/** In the order of detection. External agents are added on demand. */
export const agents = everyAgent

/** Stands for the agent that older data calls just `Agent`. */
export const defaultAgent = agents[0] as Agent

export function findAgent(name: string): Agent | undefined {
  return agents.find((agent) => agent.name === name)
}

export function findAgentByType(type: string): Agent | undefined {
  return agents.find((agent) => agent.type === type)
}
