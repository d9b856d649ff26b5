// Runs script lines such as `call greet {}` with running extensions: the actions of a recording.

import type { ExtensionHost } from '../../extensions/extension-host.ts'
import { requireRunning } from '../../extensions/live-extension.ts'
import { collectInjections, transformInput } from '../../extensions/prompt-chain.ts'
import type { ToolOutcome } from '../../extensions/registry.ts'
import { callTool } from '../../extensions/tool-calls.ts'
import { type EventName, extensionEvents } from '../../protocol/extension/events.ts'
import { invalidValue, notFound, useOneOf } from '../../std/errors.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { closest } from '../closest.ts'
import { clean } from '../render/text.ts'

export interface ScriptLine {
  verb: Verb
  /** The first word after the verb. */
  subject: string
  /** Everything after the subject. */
  rest: string
}

type Verb = keyof typeof verbs
type Act = (host: ExtensionHost, step: ScriptLine, signal: AbortSignal) => Promise<unknown>

export const verbs = {
  call: {
    usage: 'call <tool> [<json>]',
    act: (host, { subject, rest }, signal) => callByName(host, subject, parseJsonArguments(rest), signal),
  },
  run: {
    usage: 'run <command> [<text>]',
    act: (host, { subject, rest }, signal) => runByName(host, subject, rest, signal),
  },
  press: { usage: 'press <key>', act: (host, { subject }, signal) => pressKey(host, subject, signal) },
  type: {
    usage: 'type <text>',
    act: (host, { subject, rest }, signal) => transformInput(host, join(subject, rest), signal),
  },
  message: {
    usage: 'message <text>',
    act: (host, { subject, rest }, signal) => collectInjections(host, join(subject, rest), signal, () => {}),
  },
  event: {
    usage: 'event <type> [<json>]',
    act: (host, { subject, rest }) => sendEvent(host, subject, parseJsonArguments(rest)),
  },
} satisfies Record<string, { usage: string; act: Act }>

export function parseScriptLine(line: string): ScriptLine {
  const [, verb = '', subject = '', rest = ''] =
    /^\s*(\S+)(?:\s+(\S+)(?:\s+([\s\S]*\S))?)?\s*$/.exec(line) ?? []
  if (subject !== '' && Object.hasOwn(verbs, verb)) return { verb: verb as Verb, subject, rest }
  const usages = Object.values(verbs).map(({ usage }) => usage)
  throw invalidValue(clean(line), 'an action', useOneOf(usages))
}

export async function runScriptLine(
  host: ExtensionHost,
  step: ScriptLine,
  signal: AbortSignal,
): Promise<unknown> {
  return await verbs[step.verb].act(host, step, signal)
}

export async function callByName(
  host: ExtensionHost,
  name: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const outcome = await callTool(host, name, args, { id: 'cli', signal })
  return outcome ?? missing('tool', name, [...host.registry.tools().keys()])
}

/** The extension gets the text after the name unchanged. */
export async function runByName(
  host: ExtensionHost,
  name: string,
  args: string,
  signal: AbortSignal,
): Promise<void> {
  const command =
    host.registry.commands().get(name) ?? missing('command', name, [...host.registry.commands().keys()])
  if (command.local) await command.local.execute(args, signal)
  else
    await requireRunning(host.running, command.owner).request('command/execute', { name, args }, { signal })
}

async function pressKey(host: ExtensionHost, key: string, signal: AbortSignal): Promise<unknown> {
  const { owner } =
    host.registry.shortcuts().get(key) ?? missing('key', key, [...host.registry.shortcuts().keys()])
  return await requireRunning(host.running, owner).request('shortcut/handle', { key }, { signal })
}

async function sendEvent(host: ExtensionHost, type: string, data: JsonObject): Promise<void> {
  if (!Object.hasOwn(extensionEvents, type)) missing('event', type, Object.keys(extensionEvents))
  host.dispatch(type as EventName, data as never)
  await host.eventsHeard()
}

export function parseJsonArguments(text: string): JsonObject {
  const args = text.trim() === '' ? {} : asObject(parseJson(text))
  if (args) return args
  throw invalidValue(clean(text), 'arguments', 'Use a JSON object, such as \'{"name": "you"}\'.')
}

function missing(what: string, name: string, known: string[]): never {
  const hint = known.length === 0 ? `No extension offers a ${what}.` : useOneOf(known, closest(name, known))
  throw notFound(what, clean(name), clean(hint))
}

function join(first: string, rest: string): string {
  return rest === '' ? first : `${first} ${rest}`
}
