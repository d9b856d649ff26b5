// Commands and keys: what the user types after a slash, and what they press.
import { codes } from '../../protocol/extension-line.ts'
import { RpcFailure } from '../../protocol/extension-peer.ts'
import { parseAction } from '../action.ts'
import type { ExtensionApp } from '../app.ts'
import type { ExtensionHost } from '../extension-host.ts'
import { requireRunning } from '../running.ts'

const aliases: Record<string, string> = { exit: 'quit' }

export interface CommandLine {
  name: string
  /** As it was typed. */
  args: string
}

/** Undefined for text that is no command. */
export function parseCommand(text: string): CommandLine | undefined {
  const match = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim())
  if (!match) return undefined
  const [, name = '', args = ''] = match
  return { name: aliases[name] ?? name, args }
}

export async function runCommand(host: ExtensionHost, { name, args }: CommandLine, signal: AbortSignal): Promise<void> {
  const command = host.registry.commands().get(name)
  if (!command) throw new RpcFailure(codes.notFound, `unknown command: /${name}`)
  if (command.local) return await command.local.execute(args, signal)
  await requireRunning(host.running, command.owner).request('command/execute', { name, args }, { signal })
}

/** False when nobody has that key. */
export async function pressKey(host: ExtensionHost, key: string, act: ExtensionApp['act'], signal: AbortSignal): Promise<boolean> {
  const shortcut = host.registry.shortcuts().get(key)
  if (!shortcut) return false
  const { action } = await requireRunning(host.running, shortcut.owner).request('shortcut/handle', { key }, { signal })
  const wanted = parseAction(action)
  if (wanted) act(wanted, shortcut.owner)
  return true
}
