// The list of agents we know. Order is the order of detection; the first one is the default.
import type { Agent } from '../model/agent.ts'
import { aider } from './aider/index.ts'
import { claudeCode } from './claude-code/index.ts'
import { codex } from './codex/index.ts'
import { copilotCli } from './copilot-cli/index.ts'
import { cursor } from './cursor/index.ts'
import { factoryaiDroid } from './factoryai-droid/index.ts'
import { gemini } from './gemini/index.ts'
import { opencode } from './opencode/index.ts'
import { pi } from './pi/index.ts'

/** External agents join at the start of a program that needs them. */
export const agents: Agent[] = [claudeCode, gemini, aider, codex, copilotCli, cursor, factoryaiDroid, opencode, pi]

/** Takes the place of the agent that older data calls just `Agent`. */
export const defaultAgent: Agent = claudeCode

/** One that is known by its name already stays. */
export function addAgents(found: Agent[]): void {
  for (const agent of found) if (findAgent(agent.name) === undefined) agents.push(agent)
}

export function findAgent(name: string): Agent | undefined {
  return agents.find((agent) => agent.name === name)
}

export function findAgentByType(type: string): Agent | undefined {
  return agents.find((agent) => agent.type === type)
}
