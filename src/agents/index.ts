// Lists the agents that Entire knows. Hooks run many times a minute, and load only the agent that runs them.

import type { Agent, AgentCard } from '../model/agent.ts'
import {
  aiderCard,
  claudeCodeCard,
  codexCard,
  copilotCliCard,
  cursorCard,
  factoryaiDroidCard,
  geminiCard,
  opencodeCard,
  piCard,
} from './cards.ts'

interface Listed {
  card: AgentCard
  load(): Promise<Agent>
}

/**
 * In the order of detection; the first one is the default. Programs that need external agents add them at
 * their start.
 */
const list: Listed[] = [
  { card: claudeCodeCard, load: async () => (await import('./claude-code/index.ts')).claudeCode },
  { card: geminiCard, load: async () => (await import('./gemini/index.ts')).gemini },
  { card: aiderCard, load: async () => (await import('./aider/index.ts')).aider },
  { card: codexCard, load: async () => (await import('./codex/index.ts')).codex },
  { card: copilotCliCard, load: async () => (await import('./copilot-cli/index.ts')).copilotCli },
  { card: cursorCard, load: async () => (await import('./cursor/index.ts')).cursor },
  { card: factoryaiDroidCard, load: async () => (await import('./factoryai-droid/index.ts')).factoryaiDroid },
  { card: opencodeCard, load: async () => (await import('./opencode/index.ts')).opencode },
  { card: piCard, load: async () => (await import('./pi/index.ts')).pi },
]

/** All agents, once `all.ts` has loaded them. */
export const everyAgent: Agent[] = []

/** An agent whose name is already known is left out. */
export function addAgents(found: Agent[]): void {
  for (const agent of found) {
    if (list.some(({ card }) => card.name === agent.name)) continue
    list.push({ card: agent, load: async () => agent })
    everyAgent.push(agent)
  }
}

export function agentCards(): AgentCard[] {
  return list.map(({ card }) => card)
}

export async function loadAgent(name: string): Promise<Agent | undefined> {
  return await list.find(({ card }) => card.name === name)?.load()
}

export async function loadAgentByType(type: string): Promise<Agent | undefined> {
  return await list.find(({ card }) => card.type === type)?.load()
}

export async function loadAgents(): Promise<Agent[]> {
  return await Promise.all(list.map(({ load }) => load()))
}
