// A program with extensions, an agent and no screen: everything is real, and whoever embeds it decides what to show.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Discovered, ExtensionPlaces } from '../extensions/discover.ts'
import { createExtensionHost, type ExtensionHost } from '../extensions/extension-host.ts'
import { transformInput } from '../extensions/prompt-chain.ts'
import { messageOf } from '../std/errors.ts'
import { exists } from '../std/file.ts'
import { fileLog } from '../std/log.ts'
import { systemRandom } from '../std/random.ts'
import { systemClock } from '../std/time.ts'
import { createMainAgent, createMainRun } from './agent/main-agent.ts'
import type { RunOutcome } from './agent/run-agent.ts'
import { StepMode } from './agent/step-mode.ts'
import {
  type CommandLine,
  createPigletApp,
  parseSlashCommand,
  pressKey,
  runSlashCommand,
} from './host-app.ts'
import { keyOf } from './models/model.ts'
import type { CompletePigletOptions, PigletOptions } from './options.ts'
import { createServices } from './services.ts'
import { readPigletConfig } from './settings/config.ts'
import { ownTools } from './tools/own-tools.ts'

/** How long a run may take to end. */
const graceMs = 2000

export type Piglet = ReturnType<typeof createPiglet>

export function createPiglet(given: PigletOptions) {
  const options = settle(given)
  const { cwd, configDir, env, clock } = options
  const stopping = new AbortController()
  // Services, app and host need each other; none is used before all are there.
  const later = {} as { host: ExtensionHost }
  const services = createServices(
    options,
    () => later.host,
    () => agent.abort(),
  )
  const { screen, config, trust, dialogs } = services
  const stepMode = new StepMode(dialogs, services.emit)
  const agent = createMainAgent({
    conversation: services.current.conversation,
    clock,
    run: createMainRun(services, stepMode),
    runCommand: async (line) => await command(parseSlashCommand(line) ?? { name: line, args: '' }),
    takeImages() {
      const { image } = screen.view()
      if (image) screen.detachImage()
      return image ? [image] : []
    },
    onProblem: (message) => screen.notify(message, 'error'),
  })

  async function command(line: CommandLine): Promise<void> {
    try {
      await runSlashCommand(later.host, line, stopping.signal)
    } catch (error) {
      screen.notify(`Command error: ${messageOf(error)}`, 'error')
    }
  }

  /** While a run lasts, commands wait, except for those that cannot. */
  async function take(text: string, line: CommandLine): Promise<void> {
    const isImmediate = later.host.registry.commands().get(line.name)?.immediate === true
    if (agent.isRunning() && !isImmediate) agent.later(text)
    else await command(line)
  }

  const app = createPigletApp({
    services,
    agent,
    stepMode,
    say(text) {
      const line = agent.isRunning() ? undefined : parseSlashCommand(text)
      if (line) void command(line)
      else agent.say(text)
    },
  })
  const places: ExtensionPlaces = {
    userDir: join(configDir, 'extensions'),
    projectDir: undefined,
    disabled: [...config().texts('disabled_extensions'), ...(options.places?.disabled ?? [])],
    also: options.places?.also ?? [],
  }
  const host = createExtensionHost({
    app,
    places,
    env,
    clock,
    local: {
      tools: ownTools({
        cwd,
        env,
        config,
        undo: services.undo,
        seen: new Map(),
        tail: (ToolCallID, Partial) =>
          host.bus.publish('bash.tail', { ToolCallID, ToolName: 'bash', Partial }),
      }),
      commands: [
        {
          name: 'quit',
          description: 'Ends the program.',
          immediate: true,
          execute: async () => screen.quit(),
        },
      ],
    },
    granted: trust.variables,
    ...(options.tap ? { tap: options.tap } : {}),
    ...(options.watch ? { watch: true } : {}),
    ...(options.times ? { times: options.times } : {}),
  })
  later.host = host

  /** What an extension could not change is not sent as it was: the user hears why, and still has the text. */
  async function transform(
    text: string,
    signal: AbortSignal,
  ): Promise<{ text: string; handled: boolean; problem?: string }> {
    try {
      return await transformInput(host, text, signal)
    } catch (error) {
      screen.notify(`Not sent: ${messageOf(error)}`, 'error')
      return { text, handled: false, problem: messageOf(error) }
    }
  }

  /** Code that comes with a project runs only when the user said so for this project. */
  async function findProjectDir(): Promise<string | undefined> {
    const dir = join(cwd, '.piglet', 'extensions')
    if (!exists(dir)) return undefined
    if (trust.trustsProject(cwd)) return dir
    if (!config().flag('allowProjectExtensions')) return undefined
    const prompt = `Run the extensions that come with ${cwd}?`
    const chosen = await dialogs.put(
      { kind: 'ask', prompt, choices: ['Always', 'No'], extension: '' },
      stopping.signal,
    )
    if (chosen !== 'Always') {
      screen.notify(
        `The extensions of ${cwd} do not run: you have not said that you trust this project.`,
        'warn',
      )
      return undefined
    }
    trust.trustProject(cwd)
    return dir
  }

  return {
    app,
    host,
    agent,
    services,
    view: screen.view,

    /** Extensions run when it settles. */
    async start(): Promise<Discovered> {
      const model = services.choice.find()
      if (model) screen.setStatus('model', keyOf(model))
      places.projectDir = await findProjectDir()
      const isProbing = config().texts('localServers').length > 0
      const [discovered] = await Promise.all([host.start(), isProbing ? services.models.sync() : undefined])
      return discovered
    },

    /** What the user types, while nothing runs or while something does. Settles when it is taken, not when it is done. */
    async submit(text: string): Promise<void> {
      const line = parseSlashCommand(text)
      if (line) return await take(text, line)
      const { text: changed, handled, problem } = await transform(text, stopping.signal)
      if (problem === undefined && !handled && changed.trim() !== '') agent.say(changed)
    },

    /** The same, to the end: what came of it. Commands, and what an extension took care of, have no text. */
    async run(text: string, signal?: AbortSignal): Promise<RunOutcome> {
      const nothing: RunOutcome = { end: 'done', text: '', turns: 0, usage: { input: 0, output: 0 } }
      const line = parseSlashCommand(text)
      if (line) {
        await command(line)
        return nothing
      }
      const { text: changed, handled, problem } = await transform(text, signal ?? stopping.signal)
      if (problem !== undefined)
        return { ...nothing, end: signal?.aborted ? 'aborted' : 'failed', error: problem }
      return handled ? nothing : await agent.run(changed, signal)
    },

    /** Throws what a command throws. */
    runCommand: (name: string, args = '', signal = stopping.signal) =>
      runSlashCommand(host, { name, args }, signal),
    pressKey: (key: string, signal = stopping.signal) => pressKey(host, key, app.act, signal),

    /** Settles when there is nothing more to do, here and beside it. */
    async settled(): Promise<void> {
      await agent.settled()
      await services.background.idle()
      await host.eventsHeard()
    },

    /** Never hangs. */
    async stop(): Promise<void> {
      stopping.abort(new Error('the program ends'))
      agent.end()
      services.background.cancel()
      await host.stop()
      // What must not be interrupted may take longer than anybody waits.
      await Promise.race([agent.settled(), sleep(graceMs, undefined, { ref: false })])
    },
  }

  function settle(one: PigletOptions): CompletePigletOptions {
    const path = join(one.configDir, 'debug.log')
    const file = fileLog(path, readPigletConfig(one.configDir).flag('debug') ? 'debug' : 'info')
    return { clock: systemClock, random: systemRandom, fetch, log: file.write, ...one }
  }
}
