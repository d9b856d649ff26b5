// All agents at once, for commands that show them or let people choose.
import type { Agent } from '../model/agent.ts'
import { everyAgent, loadAgents } from './index.ts'

everyAgent.splice(0, everyAgent.length, ...(await loadAgents()))

/** In the order of detection. External ones join when somebody asks for them. */
export const agents = everyAgent

/** Takes the place of the agent that older data calls just `Agent`. */
export const defaultAgent = agents[0] as Agent

export function findAgent(name: string): Agent | undefined {
  return agents.find((agent) => agent.name === name)
}

export function findAgentByType(type: string): Agent | undefined {
  return agents.find((agent) => agent.type === type)
}
