// Puts together what piglet is made of: settings, models, sessions, tools, sub-agents and the screen.

import { join } from 'node:path'
import type { ExtensionHost } from '../extensions/extension-host.ts'
import { callTool } from '../extensions/tool-calls.ts'
import type { EventData, EventName } from '../protocol/extension/events.ts'
import { messageOf } from '../std/errors.ts'
import type { Clock } from '../std/time.ts'
import { type Retries, usualRetries } from './agent/ask-model.ts'
import { AutoCompaction } from './agent/auto-compaction.ts'
import { type AgentParts, type Emit, type RunOutcome, unknownTool } from './agent/run-agent.ts'
import { BackgroundTasks, SubAgents } from './agent/sub-agents.ts'
import { promptBudget, systemPrompt, ToolSet } from './agent/tools-and-prompt.ts'
import type { AnswerRequest } from './models/model.ts'
import { type ChatModel, modelKey } from './models/model.ts'
import { createAnswerRequest, ModelChoice } from './models/model-choice.ts'
import { ModelList } from './models/model-list.ts'
import type { CompletePigletOptions } from './options.ts'
import { CurrentSession, findSessionFile } from './sessions/current-session.ts'
import {
  loadPigletSession,
  newPigletSession,
  type PigletSession,
  type SessionContext,
} from './sessions/session.ts'
import { type PigletConfig, readPigletConfig } from './settings/config.ts'
import { createFindKey, type FindKey } from './settings/keys.ts'
import { Trust } from './settings/trust.ts'
import { Undo } from './tools/tool-context.ts'
import { Dialogs, Screen } from './view.ts'

export interface ServiceLinks {
  /** Called only once the host exists. */
  host(): ExtensionHost
  /** Another session, or another branch of the session, is current now. */
  onSwap(): void
}

export class Services {
  readonly options: CompletePigletOptions
  readonly clock: Clock
  readonly host: () => ExtensionHost
  readonly screen: Screen
  readonly dialogs: Dialogs
  readonly trust: Trust
  readonly findKey: FindKey
  readonly models: ModelList
  readonly choice: ModelChoice
  readonly toolSet: ToolSet
  readonly undo: Undo
  readonly sessionDir: string
  readonly current: CurrentSession
  readonly answer: AnswerRequest
  readonly subAgents: SubAgents
  readonly background: BackgroundTasks
  readonly compaction: AutoCompaction

  constructor(options: CompletePigletOptions, { host, onSwap }: ServiceLinks) {
    const { cwd, configDir, env, clock, random } = options
    this.options = options
    this.clock = clock
    this.host = host
    this.screen = new Screen((part, view) => options.onChange?.(part, view))
    this.dialogs = new Dialogs(options.dialogs)
    this.trust = new Trust(configDir)
    this.undo = new Undo(configDir, cwd)
    this.findKey = createFindKey(configDir, env)
    this.models = new ModelList({ configDir, config: this.config, fetch: options.fetch })
    this.choice = new ModelChoice({
      models: this.models,
      configDir,
      env,
      config: this.config,
      first: options.model ?? '',
      onSwitch: (model) => this.#noteModel(model),
    })
    this.toolSet = new ToolSet(() => host().registry)
    this.answer = createAnswerRequest(host, { findKey: this.findKey, fetch: options.fetch, clock })
    const context = { dir: join(configDir, 'sessions'), clock, random }
    this.sessionDir = context.dir
    this.current = new CurrentSession(context, this.#firstSession(context), (session) => {
      this.screen.setTitle(session.meta().title ?? '')
      onSwap()
    })
    this.subAgents = new SubAgents({
      resolveModel: (query) => this.choice.resolve(query),
      answer: this.answer,
      call: this.call,
      tools: () => [...host().registry.tools().values()],
      clock,
      concurrency: this.concurrency,
      retries: this.retries,
    })
    this.background = new BackgroundTasks({
      run: (prompt, signal) => this.#runInBackground(prompt, signal),
      setStatus: (text) => this.screen.setStatus('bg', text),
      show: (text) => this.screen.show(text),
    })
    this.compaction = new AutoCompaction({
      compaction: () => host().compaction,
      conversation: () => this.current.conversation(),
      threshold: () => this.config().number('agent.compactAt', 0),
      emit: this.emit,
      log: (message) => options.log('warn', message),
    })
  }

  /** Reads the settings from disk each time. */
  readonly config = (): PigletConfig => readPigletConfig(this.options.configDir)

  readonly emit: Emit = <Name extends EventName>(type: Name, data: EventData<Name>) => {
    if (type === 'EventTurnEnd') this.screen.setStatus('prompt-budget', promptBudget(this.host().registry))
    this.host().dispatch(type, data)
    this.options.onEvent?.(type, data)
  }

  readonly call: AgentParts['call'] = async (name, args, toolCall) =>
    (await callTool(this.host(), name, args, toolCall)) ?? unknownTool(name)

  readonly retries = (): Retries => ({
    ...usualRetries,
    attempts: this.config().number('agent.maxRetries', usualRetries.attempts),
    ...this.options.retries,
  })

  readonly concurrency = (): number => this.config().number('agent.toolConcurrency', 10)

  readonly system = (): string =>
    systemPrompt({
      configDir: this.options.configDir,
      config: this.config(),
      registry: this.host().registry,
      offered: this.toolSet.offered(),
      hidden: this.toolSet.hidden(this.choice.find()),
    })

  #firstSession(context: SessionContext): PigletSession {
    const { cwd, session } = this.options
    if (session !== undefined) return loadPigletSession(context, findSessionFile(context.dir, session))
    const model = this.choice.find()
    return newPigletSession(context, { cwd, ...(model ? { model: modelKey(model) } : {}) })
  }

  #noteModel(model: ChatModel): void {
    this.screen.setStatus('model', modelKey(model))
    this.current
      .session()
      .useModel(modelKey(model))
      .catch((error) => this.options.log('warn', messageOf(error)))
  }

  #runInBackground(prompt: string, signal: AbortSignal): Promise<RunOutcome> {
    const task = {
      system: this.system(),
      prompt,
      model: modelKey(this.choice.current()),
      tools: 'background_safe',
      maxTurns: this.config().number('agent.bgMaxTurns', 5),
    } as const
    return this.subAgents.run(task, signal)
  }
}
