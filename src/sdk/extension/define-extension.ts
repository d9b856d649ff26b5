// An extension as one table.
import type { EventName } from '../../protocol/extension-events.ts'
import type { ArgsSchema } from './args.ts'
import { createExtension, type Extension } from './create-extension.ts'
import type { Context, EventHandler, ExtensionDefinition, ToolDefinition } from './definition.ts'

/** Gives the arguments of `execute` the types of the schema. */
export function defineTool<const Schema extends ArgsSchema>(definition: ToolDefinition<Schema>): ToolDefinition {
  return definition as unknown as ToolDefinition
}

export function defineExtension(definition: ExtensionDefinition): Extension {
  const { tools = {}, commands = {}, promptSections = {}, interceptors = {}, events = {}, shortcuts = {}, providers = {} } = definition
  const extension = createExtension(definition)
  for (const [name, tool] of Object.entries(tools)) extension.tool(name, tool)
  for (const [name, command] of Object.entries(commands)) extension.command(name, command)
  for (const [title, section] of Object.entries(promptSections)) extension.promptSection(title, section)
  for (const [name, interceptor] of Object.entries(interceptors)) extension.interceptor(name, interceptor)
  for (const name of Object.keys(events) as EventName[]) extension.onEvent(name, handlerOf(events, name), { name })
  for (const [key, shortcut] of Object.entries(shortcuts)) extension.shortcut(key, shortcut)
  for (const [api, provider] of Object.entries(providers)) extension.provider(api, provider)
  const { messageHook, inputTransformer, compactor, onInit, onShutdown } = definition
  if (messageHook) extension.messageHook(messageHook)
  if (inputTransformer) extension.inputTransformer(inputTransformer)
  if (compactor) extension.compactor(compactor)
  if (onInit) extension.onInit(onInit)
  if (onShutdown) extension.onShutdown(onShutdown)
  return extension
}

function handlerOf(events: NonNullable<ExtensionDefinition['events']>, name: EventName): EventHandler<EventName> {
  const handler = events[name] as (data: unknown, context: Context) => ReturnType<EventHandler<EventName>>
  return ({ data }, context) => handler(data, context)
}
