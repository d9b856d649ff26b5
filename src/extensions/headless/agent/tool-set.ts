// The tools that a model sees: those that are let through, and of deferred ones only the names where there is little room.
import { codes } from '../../../protocol/extension-line.ts'
import { RpcFailure } from '../../../protocol/extension-peer.ts'
import type { Registry, Tool } from '../../registry.ts'
import { isLocal, type Model } from '../models/model.ts'
import type { ToolSchema } from '../models/model-request.ts'

export type ToolSet = ReturnType<typeof createToolSet>

export function createToolSet(registry: () => Registry) {
  const activated = new Set<string>()
  let filter: Set<string> | undefined

  const offered = (): Tool[] => [...registry().tools().values()].filter(({ name }) => filter === undefined || filter.has(name))
  const isHidden = (tool: Tool, model: Model | undefined) =>
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
      if (!tool?.deferred) throw new RpcFailure(codes.notFound, tool ? `tool is not deferred: ${name}` : `unknown tool: ${name}`)
      activated.add(name)
    },
    schemas: (model: Model | undefined): ToolSchema[] =>
      offered().map((tool) => {
        const { name, description, parameters } = tool
        return isHidden(tool, model) ? { name, description } : { name, description, parameters }
      }),
    hidden: (model: Model | undefined): Tool[] => offered().filter((tool) => isHidden(tool, model)),
  }
}
