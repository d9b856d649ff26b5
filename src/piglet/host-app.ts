// Presents piglet to its extensions: what they ask, show and send, and how their commands and keys are run.

import { type ExtensionAction, parseAction } from '../extensions/action.ts'
import type { ExtensionHost } from '../extensions/extension-host.ts'
import type { ExtensionApp } from '../extensions/host-side.ts'
import { requireRunning } from '../extensions/live-extension.ts'
import { RpcFailure, rpcErrorCodes } from '../protocol/extension/rpc.ts'
import { messageOf } from '../std/errors.ts'
import type { MainAgent } from './agent/main-agent.ts'
import type { StepMode } from './agent/step-mode.ts'
import { agentRequests, sessionRequests, settingsRequests } from './requests.ts'
import type { Services } from './services.ts'
import { trustedAs } from './settings/trust.ts'

export interface PigletAppOptions {
  services: Services
  agent: MainAgent
  stepMode: StepMode
  /** Sends a text as if the user had typed it. */
  say(text: string): void
}

export function createPigletApp({ services, agent, stepMode, say }: PigletAppOptions): ExtensionApp {
  const { options, screen, current, trust, dialogs } = services
  const approvals = new Map<string, Promise<boolean>>()
  const session = sessionRequests(services)

  function setTitle(title: string): void {
    screen.setTitle(title)
    current
      .session()
      .change({ title })
      .catch((error) => options.log('warn', messageOf(error)))
  }

  async function askTrust(extension: string, what: string): Promise<boolean> {
    const prompt = `Let the extension ${extension} have ${what}?`
    const chosen = await dialogs.put(
      { kind: 'ask', prompt, choices: ['Always', 'No'], extension: '' },
      new AbortController().signal,
    )
    if (chosen === 'Always') trust.grant(extension, [what])
    return chosen === 'Always'
  }

  const actions: {
    [Type in ExtensionAction['type']]: (
      action: Extract<ExtensionAction, { type: Type }>,
      extension: string,
    ) => void
  } = {
    notify: ({ message, level }, extension) => screen.notify(message, level, extension),
    showMessage: ({ text }, extension) => screen.show(text, extension),
    setSessionTitle: ({ title }) => setTitle(title),
    quit: () => screen.quit(),
    setStatus: ({ key, text }, extension) => screen.setStatus(key, text, extension),
    attachImage: ({ data, mimeType }) => screen.attachImage({ type: 'image', data, mimeType }),
    detachImage: () => screen.detachImage(),
    sendMessage: ({ content }) => say(content),
  }

  return {
    cwd: options.cwd,
    configDir: options.configDir,
    sessionId: () => current.session().meta().id,
    requests: { ...session, ...settingsRequests(services), ...agentRequests(services, agent, stepMode) },
    notices: {
      notify: ({ message, level }, { extension }) => screen.notify(message, level, extension.name),
      showMessage: ({ text }, { extension }) => screen.show(text, extension.name),
      setWidget: ({ key, placement, content }, { extension, live }) =>
        screen.setWidget({ key, placement, content, extension: extension.name }, live),
      showOverlay: ({ key, title, content, anchor, width }, { extension, live }) =>
        screen.showOverlay({ key, title, content, anchor, width, extension: extension.name }, live),
      closeOverlay: ({ key }, { extension }) => screen.closeOverlay(key, extension.name),
      setInputText: ({ text }) => screen.setInputText(text),
      sendMessage: ({ content }) => say(content),
      steer: ({ content }) => agent.steer(content),
      abort: () => agent.abort(),
      abortWithMarker: ({ reason }) => agent.abort(reason),
    },
    act: (action, extension) =>
      (actions[action.type] as (action: ExtensionAction, extension: string) => void)(action, extension),
    gone(live) {
      const { name } = live.manifest
      screen.clear(live, services.host().find(name) ? undefined : name)
    },
    announce: (level, message) => screen.notify(message, level),
    log: options.log,
    async approve(manifest, what) {
      const extension = trustedAs(options.configDir, manifest)
      if (trust.allows(extension, what)) return true
      if (!dialogs.canAsk) return false
      // The question is put once: while the user thinks, and after a no, further requests get the same
      // answer. A yes is written to the trust file, and can be revoked there.
      const key = JSON.stringify([extension, what])
      const answer = approvals.get(key) ?? askTrust(extension, what)
      approvals.set(key, answer)
      const isGranted = await answer.catch(() => undefined)
      if (isGranted !== false) approvals.delete(key)
      return await answer
    },
  }
}

const aliases: Record<string, string> = { exit: 'quit' }

export interface SlashCommand {
  name: string
  /** The text after the name, as typed. */
  args: string
}

/** Undefined for text that is not a command. */
export function parseSlashCommand(text: string): SlashCommand | undefined {
  const match = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim())
  if (!match) return undefined
  const [, name = '', args = ''] = match
  return { name: aliases[name] ?? name, args }
}

export async function runSlashCommand(
  host: ExtensionHost,
  { name, args }: SlashCommand,
  signal: AbortSignal,
): Promise<void> {
  const command = host.registry.commands().get(name)
  if (!command) throw new RpcFailure(rpcErrorCodes.notFound, `unknown command: /${name}`)
  if (command.local) return await command.local.execute(args, signal)
  await requireRunning(host.running, command.owner).request('command/execute', { name, args }, { signal })
}

/** False when the key has no owner. */
export async function pressKey(
  host: ExtensionHost,
  key: string,
  act: ExtensionApp['act'],
  signal: AbortSignal,
): Promise<boolean> {
  const shortcut = host.registry.shortcuts().get(key)
  if (!shortcut) return false
  const { action } = await requireRunning(host.running, shortcut.owner).request(
    'shortcut/handle',
    { key },
    { signal },
  )
  const requested = parseAction(action)
  if (requested) act(requested, shortcut.owner)
  return true
}
