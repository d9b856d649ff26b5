// The tools that a model sees: those that are let through, and of deferred ones only the names where there is little room.

import { join } from 'node:path'
import type { Registry, Tool } from '../../extensions/registry.ts'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import { readText } from '../../std/file.ts'
import { asNumber, asObject } from '../../std/json.ts'
import { type ChatModel, isLocal } from '../models/model.ts'
import type { ToolSchema } from '../models/request.ts'
import type { PigletConfig } from '../settings/config.ts'

export type ToolSet = ReturnType<typeof createToolSet>

export function createToolSet(registry: () => Registry) {
  const activated = new Set<string>()
  let filter: Set<string> | undefined

  const offered = (): Tool[] =>
    [...registry().tools().values()].filter(({ name }) => filter === undefined || filter.has(name))
  const isHidden = (tool: Tool, model: ChatModel | undefined) =>
    tool.deferred && !activated.has(tool.name) && model !== undefined && isLocal(model)

  return {
    offered,
    /** A tool that is not there is not kept away either. */
    allows: (name: string) => filter === undefined || filter.has(name) || !registry().tools().has(name),
    /** Nothing, or an empty list: all of them. */
    setFilter(names: string[]): void {
      filter = names.length === 0 ? undefined : new Set(names)
    },
    activate(name: string): void {
      const tool = registry().tools().get(name)
      if (!tool?.deferred)
        throw new RpcFailure(
          rpcErrorCodes.notFound,
          tool ? `tool is not deferred: ${name}` : `unknown tool: ${name}`,
        )
      activated.add(name)
    },
    schemas: (model: ChatModel | undefined): ToolSchema[] =>
      offered().map((tool) => {
        const { name, description, parameters } = tool
        return isHidden(tool, model) ? { name, description } : { name, description, parameters }
      }),
    hidden: (model: ChatModel | undefined): Tool[] => offered().filter((tool) => isHidden(tool, model)),
  }
}

// What a model is told before anything else, put together anew for every run.

const usualPrompt =
  'You are a coding assistant. You work in the directory of the project with the tools that you are given.'
const usualNote =
  'Of these tools you see only the names. Call `tool_search` with the name of one before you use it.'

export interface PromptParts {
  configDir: string
  config: PigletConfig
  registry: Registry
  offered: Tool[]
  /** Tools of which the model sees only the names. */
  hidden: Tool[]
}

export function systemPrompt(parts: PromptParts): string {
  const { configDir, config } = parts
  const own =
    (readText(join(configDir, 'prompt.md')) ?? '').trim() || config.text('systemPrompt') || usualPrompt
  return [own, ...sections(parts), ...toolNotes(parts.offered), ...hiddenIndex(parts)].join('\n\n')
}

function sections({ config, registry }: PromptParts): string[] {
  const order = asObject(config.get('promptOrder')) ?? {}
  return registry
    .sections()
    .map(({ value: { title, content, order: usual } }) => ({
      text: `# ${title}\n\n${content}`,
      at: asNumber(order[title]) ?? usual,
    }))
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
}

function toolNotes(offered: Tool[]): string[] {
  const notes = offered
    .filter(({ promptHint }) => promptHint !== '')
    .map(({ name, promptHint }) => `## ${name} — ${promptHint}`)
  return notes.length === 0 ? [] : [['# Tool Usage Notes', ...notes].join('\n\n')]
}

function hiddenIndex({ config, hidden }: PromptParts): string[] {
  if (hidden.length === 0) return []
  const names = hidden.map(({ name, description }) => `- ${name}: ${description}`).join('\n')
  return [`# Available Tools\n\n${config.text('deferredToolsNote') || usualNote}\n\n${names}`]
}

/** What the sections say they take, for the line of status; empty when they say nothing. */
export function promptBudget(registry: Registry): string {
  const tokens = registry.sections().reduce((sum, { value }) => sum + value.tokenHint, 0)
  return tokens === 0 ? '' : `~${Math.max(1, Math.round(tokens / 1000))}k ctx`
}
