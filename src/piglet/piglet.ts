// Runs piglet: an agent with extensions and without a screen. The program that embeds it decides what to
// show.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Discovered, ExtensionPlaces } from '../extensions/discover.ts'
import { ExtensionHost } from '../extensions/extension-host.ts'
import type { ExtensionApp } from '../extensions/host-side.ts'
import { transformInput } from '../extensions/prompt-chain.ts'
import type { LocalOffer } from '../extensions/registry.ts'
import { messageOf } from '../std/errors.ts'
import { exists } from '../std/file.ts'
import { given } from '../std/given.ts'
import { fileLog } from '../std/log.ts'
import { systemRandom } from '../std/random.ts'
import { systemClock } from '../std/time.ts'
import { createMainRun, MainAgent } from './agent/main-agent.ts'
import type { RunOutcome } from './agent/run-agent.ts'
import { StepMode } from './agent/step-mode.ts'
import type { ImagePart } from './conversation/message.ts'
import {
  createPigletApp,
  parseSlashCommand,
  pressKey,
  runSlashCommand,
  type SlashCommand,
} from './host-app.ts'
import { modelKey } from './models/model.ts'
import type { CompletePigletOptions, PigletOptions } from './options.ts'
import { Services } from './services.ts'
import { readPigletConfig } from './settings/config.ts'
import { ownTools } from './tools/own-tools.ts'
import type { View } from './view.ts'

export function openPiglet(options: PigletOptions): Piglet {
  const path = join(options.configDir, 'debug.log')
  const file = fileLog(path, readPigletConfig(options.configDir).flag('debug') ? 'debug' : 'info')
  return new Piglet({ clock: systemClock, random: systemRandom, fetch, log: file.write, ...options })
}

/** How long `stop` waits for a run to end. */
const graceMs = 2000

const nothingDone: RunOutcome = { end: 'done', text: '', turns: 0, usage: { input: 0, output: 0 } }

/** The user's text after all extensions have seen it. */
interface TransformedInput {
  text: string
  handled: boolean
  problem?: string
}

export class Piglet {
  readonly services: Services
  readonly agent: MainAgent
  readonly app: ExtensionApp
  readonly host: ExtensionHost
  readonly #options: CompletePigletOptions
  readonly #places: ExtensionPlaces
  readonly #stopping = new AbortController()

  constructor(options: CompletePigletOptions) {
    this.#options = options
    // Services, app and host refer to each other; none is used before all exist.
    this.services = new Services(options, {
      host: () => this.host,
      onSwap: () => this.agent.abort(),
    })
    const { screen, config, trust, dialogs, emit } = this.services
    const stepMode = new StepMode(dialogs, emit)
    this.agent = new MainAgent({
      conversation: () => this.services.current.conversation(),
      clock: options.clock,
      run: createMainRun(this.services, stepMode),
      runCommand: (line) => this.#tryCommand(parseSlashCommand(line) ?? { name: line, args: '' }),
      takeImages: () => this.#takeImages(),
      onProblem: (message) => screen.notify(message, 'error'),
    })
    this.app = createPigletApp({
      services: this.services,
      agent: this.agent,
      stepMode,
      say: (text) => this.#say(text),
    })
    this.#places = {
      userDir: join(options.configDir, 'extensions'),
      projectDir: undefined,
      disabled: [...config().texts('disabled_extensions'), ...(options.places?.disabled ?? [])],
      also: options.places?.also ?? [],
    }
    this.host = new ExtensionHost({
      app: this.app,
      places: this.#places,
      env: options.env,
      clock: options.clock,
      local: this.#localOffer(),
      granted: (extension) => trust.variables(extension),
      ...given({ tap: options.tap, watch: options.watch, times: options.times }),
    })
  }

  view(): Readonly<View> {
    return this.services.screen.view()
  }

  /** Settles when the extensions run. */
  async start(): Promise<Discovered> {
    const { choice, screen, config, models } = this.services
    const model = choice.find()
    if (model) screen.setStatus('model', modelKey(model))
    this.#places.projectDir = await this.#findProjectDir()
    const isProbing = config().texts('localServers').length > 0
    const [discovered] = await Promise.all([this.host.start(), isProbing ? models.sync() : undefined])
    return discovered
  }

  /** Takes what the user types, also during a run. Settles when it is taken, not when it is done. */
  async submit(text: string): Promise<void> {
    const command = parseSlashCommand(text)
    if (command) return await this.#takeCommand(text, command)
    const input = await this.#transform(text, this.#stopping.signal)
    if (input.problem === undefined && !input.handled && input.text.trim() !== '') this.agent.say(input.text)
  }

  /**
   * Like `submit`, but settles with the outcome. A command, and input an extension has handled, has no text.
   */
  async run(text: string, signal?: AbortSignal): Promise<RunOutcome> {
    const command = parseSlashCommand(text)
    if (command) {
      await this.#tryCommand(command)
      return nothingDone
    }
    const input = await this.#transform(text, signal ?? this.#stopping.signal)
    if (input.problem !== undefined)
      return { ...nothingDone, end: signal?.aborted ? 'aborted' : 'failed', error: input.problem }
    return input.handled ? nothingDone : await this.agent.run(input.text, signal)
  }

  /** Throws what the command throws. */
  async runCommand(name: string, args = '', signal = this.#stopping.signal): Promise<void> {
    await runSlashCommand(this.host, { name, args }, signal)
  }

  async pressKey(key: string, signal = this.#stopping.signal): Promise<boolean> {
    return await pressKey(this.host, key, this.app.act, signal)
  }

  /** Settles when nothing is left to do, in the background tasks and event queues either. */
  async settled(): Promise<void> {
    await this.agent.settled()
    await this.services.background.idle()
    await this.host.eventsHeard()
  }

  /** Never hangs. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the program ends'))
    this.agent.end()
    this.services.background.cancel()
    await this.host.stop()
    // A tool that must not be interrupted may take longer than this.
    await Promise.race([this.agent.settled(), sleep(graceMs, undefined, { ref: false })])
  }

  #localOffer(): LocalOffer {
    const { cwd, env } = this.#options
    const { config, undo, screen } = this.services
    return {
      tools: ownTools({
        cwd,
        env,
        config,
        undo,
        seen: new Map(),
        tail: (ToolCallID, Partial) =>
          this.host.bus.publish('bash.tail', { ToolCallID, ToolName: 'bash', Partial }),
      }),
      commands: [
        {
          name: 'quit',
          description: 'Ends the program.',
          immediate: true,
          execute: async () => screen.quit(),
        },
      ],
    }
  }

  /** Extensions of a project run only if the user trusts the project. */
  async #findProjectDir(): Promise<string | undefined> {
    const { cwd } = this.#options
    const { trust, config, dialogs, screen } = this.services
    const dir = join(cwd, '.piglet', 'extensions')
    if (!exists(dir)) return undefined
    if (trust.trustsProject(cwd)) return dir
    if (!config().flag('allowProjectExtensions')) return undefined
    const prompt = `Run the extensions that come with ${cwd}?`
    const chosen = await dialogs.put(
      { kind: 'ask', prompt, choices: ['Always', 'No'], extension: '' },
      this.#stopping.signal,
    )
    if (chosen !== 'Always') {
      screen.notify(`The extensions of ${cwd} do not run, because you do not trust this project.`, 'warn')
      return undefined
    }
    trust.trustProject(cwd)
    return dir
  }

  /** During a run commands wait, except for immediate ones. */
  async #takeCommand(text: string, command: SlashCommand): Promise<void> {
    const isImmediate = this.host.registry.commands().get(command.name)?.immediate === true
    if (this.agent.isRunning() && !isImmediate) this.agent.later(text)
    else await this.#tryCommand(command)
  }

  async #tryCommand(command: SlashCommand): Promise<void> {
    try {
      await runSlashCommand(this.host, command, this.#stopping.signal)
    } catch (error) {
      this.services.screen.notify(`Command error: ${messageOf(error)}`, 'error')
    }
  }

  /** When a transformer fails, nothing is sent: the user sees why, and still has the text. */
  async #transform(text: string, signal: AbortSignal): Promise<TransformedInput> {
    try {
      return await transformInput(this.host, text, signal)
    } catch (error) {
      this.services.screen.notify(`Not sent: ${messageOf(error)}`, 'error')
      return { text, handled: false, problem: messageOf(error) }
    }
  }

  /** Text that an extension sends as if the user had typed it. */
  #say(text: string): void {
    const command = this.agent.isRunning() ? undefined : parseSlashCommand(text)
    if (command) void this.#tryCommand(command)
    else this.agent.say(text)
  }

  #takeImages(): ImagePart[] {
    const { screen } = this.services
    const { image } = screen.view()
    if (image) screen.detachImage()
    return image ? [image] : []
  }
}
