// Runs extensions written for an older kit: one extension per process, which starts when it is first used.

import type { ToolOutput } from './args.ts'
import { createExtension, type Extension } from './create-extension.ts'
import type { Context } from './definition.ts'

export interface PigletTool {
  name: string
  description: string
  parameters: Record<string, unknown>
  promptHint?: string
  execute(args: Record<string, unknown>, context: Context): ToolOutput | Promise<ToolOutput>
}

export interface PigletCommand {
  name: string
  description: string
  immediate?: boolean
  handler(args: string, context: Context): unknown
}

export interface OldKit {
  setInfo(name: string, version: string): void
  registerTool(tool: PigletTool): void
  registerCommand(command: PigletCommand): void
  registerPromptSection(section: { title: string; content: string; order?: number }): void
  notify(message: string): void
  showMessage(text: string): void
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string): void
  getCwd(): string
}

/** `start` connects the extension to the host. */
function createOldKit(start: (extension: Extension) => void): OldKit {
  const info = { name: 'unnamed', version: '0.0.0' }
  let started: Extension | undefined
  const extension = () => {
    if (!started) {
      started = createExtension(info)
      start(started)
    }
    return started
  }
  return {
    setInfo: (name, version) => void Object.assign(info, { name, version }),
    registerTool: ({ name, ...tool }) => void extension().tool(name, tool),
    registerCommand: ({ name, ...command }) => void extension().command(name, command),
    registerPromptSection: ({ title, ...section }) => void extension().promptSection(title, section),
    notify: (message) => void extension().host.notify(message),
    showMessage: (text) => void extension().host.showMessage(text),
    log: (level, message) => void extension().host.log(level, message),
    getCwd: () => extension().cwd || '.',
  }
}

export const piglet = createOldKit((extension) => void extension.run())
