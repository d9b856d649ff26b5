// Decides what a model sees before the conversation: the tools, and the system prompt.

import { join } from 'node:path'
import type { Registry, Tool } from '../../extensions/registry.ts'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import { readText } from '../../std/file.ts'
import { asNumber, asObject } from '../../std/json.ts'
import type { ToolSchema } from '../models/model.ts'
import { type ChatModel, isLocal } from '../models/model.ts'
import type { PigletConfig } from '../settings/config.ts'

export class ToolSet {
  readonly #registry: () => Registry
  /** Deferred tools whose schemas are shown. */
  readonly #activated = new Set<string>()
  /** The names of the tools that may be used; undefined: all. */
  #filter: Set<string> | undefined

  constructor(registry: () => Registry) {
    this.#registry = registry
  }

  offered(): Tool[] {
    return [...this.#registry().tools().values()].filter(({ name }) => this.#filter?.has(name) ?? true)
  }

  /** True for an unknown tool as well: calling it fails in its own way. */
  allows(name: string): boolean {
    return this.#filter === undefined || this.#filter.has(name) || !this.#registry().tools().has(name)
  }

  /** An empty list removes the filter. */
  setFilter(names: string[]): void {
    this.#filter = names.length === 0 ? undefined : new Set(names)
  }

  activate(name: string): void {
    const tool = this.#registry().tools().get(name)
    if (!tool?.deferred)
      throw new RpcFailure(
        rpcErrorCodes.notFound,
        tool ? `tool is not deferred: ${name}` : `unknown tool: ${name}`,
      )
    this.#activated.add(name)
  }

  schemas(model: ChatModel | undefined): ToolSchema[] {
    return this.offered().map((tool) => {
      const { name, description, parameters } = tool
      return this.#isHidden(tool, model) ? { name, description } : { name, description, parameters }
    })
  }

  /** Deferred tools of which a local model sees only the names. */
  hidden(model: ChatModel | undefined): Tool[] {
    return this.offered().filter((tool) => this.#isHidden(tool, model))
  }

  #isHidden(tool: Tool, model: ChatModel | undefined): boolean {
    return tool.deferred && !this.#activated.has(tool.name) && model !== undefined && isLocal(model)
  }
}

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

/** Built for every run. */
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

/** The tokens that the prompt sections say they take, for the status line; empty when they say nothing. */
export function promptBudget(registry: Registry): string {
  const tokens = registry.sections().reduce((sum, { value }) => sum + value.tokenHint, 0)
  return tokens === 0 ? '' : `~${Math.max(1, Math.round(tokens / 1000))}k ctx`
}
