// Authors import these names: renaming one breaks their programs, whatever it is called inside.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (path: string) => readFileSync(join(import.meta.dir, path), 'utf8')

/** The names that a module exports: its own, those it passes on, and those of `export type *`. */
function exportedNames(path: string): string[] {
  const text = read(path)
  const declared = [...text.matchAll(/^export (?:async )?(?:interface|type|class|function|const) (\w+)/gm)]
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
  const all = [...text.matchAll(/^export type \* from '\.\/(.*)'/gm)]
  const names = [
    ...declared.map(([, name = '']) => name),
    ...lists.flatMap(([, list = '']) => list.split(',').map((item) => item.trim().split(/\s+/).at(-1) ?? '')),
    ...all.flatMap(([, from = '']) =>
      [...read(from).matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(([, name = '']) => name),
    ),
  ]
  return [...new Set(names.filter((name) => name !== ''))].sort()
}

const published = {
  'agent.ts': `
    AgentDefinition AgentHooks AgentPlugin AgentSession AgentSessions Context HookInput HookReader
    ItemReader PluginError PluginEvent Reading SettingsHooks TokenCount TokenTotal Transcript
    defineAgent jsonTranscript jsonlTranscript rawTranscript settingsHooks
  `,
  'extension.ts': `
    ActionResult Args ArgsSchema AssistantMessage Block CallInfo CommandDefinition CompactEntry
    Compactor Connection Context EventHandler EventHandlers EventName EventOf EventPayload Extension
    ExtensionDefinition Host HostCallOptions HostError InputTransformer Interceptor Message
    MessageHook Model Piece Piglet PromptSection Provider ProviderRequest SentMessage
    ShortcutDefinition ToolDefinition ToolError ToolErrorCode ToolOutput ToolResult
    ToolResultMessage UserMessage Verdict actions createExtension defineExtension defineTool
    isAssistant isToolResult isUser piglet textOf toolErrorCodes
  `,
  'extension-host.ts': `
    Action AssistantMessage Caller CompactMessage ContentBlock Delta Discovered EventData EventName
    ExtensionApp ExtensionHost ExtensionHostOptions Headless HeadlessOptions HostSide LiveExtension
    LocalCommand LocalOffer LocalTool Manifest Model Places Result RpcFailure SentParams SentResult
    StartOptions StreamRequest ToolOutcome ToolResultMessage UserMessage callTool collectInjections
    createExtensionHost createHeadless discoverExtensions parseAction readManifest startExtension
    streamAnswer transformInput
  `,
}

test.each(Object.entries(published))('%s exports the names that authors import', (path, names) => {
  expect(exportedNames(path)).toEqual(names.trim().split(/\s+/))
})
