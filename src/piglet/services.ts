// Everything the program has, put together once: settings, sessions, models, tools, the agent and what would be on the screen.

import { join } from 'node:path'
import type { ExtensionHost } from '../extensions/extension-host.ts'
import { callTool } from '../extensions/tool-calls.ts'
import type { EventData, EventName } from '../protocol/extension/events.ts'
import { messageOf } from '../std/errors.ts'
import { type Retries, usualRetries } from './agent/ask-model.ts'
import { createAutoCompaction } from './agent/auto-compaction.ts'
import type { AgentParts, Emit } from './agent/run-agent.ts'
import { createBackground, createSubAgents } from './agent/sub-agents.ts'
import { createToolSet, promptBudget, systemPrompt } from './agent/tools-and-prompt.ts'
import { keyOf } from './models/model.ts'
import { createAnswer, createModelChoice } from './models/model-choice.ts'
import { createModelList } from './models/model-list.ts'
import type { CompletePigletOptions } from './options.ts'
import { createCurrentSession, findSessionFile } from './sessions/current-session.ts'
import { loadPigletSession, newPigletSession } from './sessions/session.ts'
import { readPigletConfig } from './settings/config.ts'
import { createKeys } from './settings/keys.ts'
import { createTrust } from './settings/trust.ts'
import { Undo } from './tools/undo.ts'
import { createDialogs, createScreen } from './view.ts'

export type Services = ReturnType<typeof createServices>

/** `host` is there before anything of this is used. */
export function createServices(
  options: CompletePigletOptions,
  host: () => ExtensionHost,
  onSwap: () => void,
) {
  const { cwd, configDir, env, clock, random, log } = options
  const config = () => readPigletConfig(configDir)
  const screen = createScreen((part, view) => options.onChange?.(part, view))
  const findKey = createKeys(configDir, env)
  const models = createModelList({ configDir, config, fetch: options.fetch })
  const choice = createModelChoice({
    models,
    configDir,
    env,
    config,
    first: options.model ?? '',
    onSwitch(model) {
      screen.setStatus('model', keyOf(model))
      current
        .session()
        .useModel(keyOf(model))
        .catch((error) => log('warn', messageOf(error)))
    },
  })
  const toolSet = createToolSet(() => host().registry)
  const answer = createAnswer(host, { findKey, fetch: options.fetch, clock })

  const context = { dir: join(configDir, 'sessions'), clock, random }
  const first =
    options.session === undefined
      ? newPigletSession(context, { cwd, ...modelName(choice.find()) })
      : loadPigletSession(context, findSessionFile(context.dir, options.session))
  const current = createCurrentSession(context, first, (session) => {
    screen.setTitle(session.meta().title ?? '')
    onSwap()
  })

  const emit: Emit = <Name extends EventName>(type: Name, data: EventData<Name>) => {
    if (type === 'EventTurnEnd') screen.setStatus('prompt-budget', promptBudget(host().registry))
    host().dispatch(type, data)
    options.onEvent?.(type, data)
  }

  const call: AgentParts['call'] = async (name, args, toolCall) => {
    const outcome = await callTool(host(), name, args, toolCall)
    return outcome ?? { content: [{ type: 'text', text: `unknown tool: ${name}` }], isError: true }
  }

  const system = () =>
    systemPrompt({
      configDir,
      config: config(),
      registry: host().registry,
      offered: toolSet.offered(),
      hidden: toolSet.hidden(choice.find()),
    })
  const retries = (): Retries => ({
    ...usualRetries,
    attempts: config().number('agent.maxRetries', usualRetries.attempts),
    ...options.retries,
  })
  const concurrency = () => config().number('agent.toolConcurrency', 10)

  const subAgents = createSubAgents({
    resolveModel: choice.resolve,
    answer,
    call,
    tools: () => [...host().registry.tools().values()],
    clock,
    concurrency,
    retries,
  })
  const background = createBackground({
    run: (prompt, signal) => {
      const model = keyOf(choice.current())
      return subAgents.run(
        {
          system: system(),
          prompt,
          model,
          tools: 'background_safe',
          maxTurns: config().number('agent.bgMaxTurns', 5),
        },
        signal,
      )
    },
    setStatus: (text) => screen.setStatus('bg', text),
    show: (text) => screen.show(text),
  })
  const compaction = createAutoCompaction({
    compaction: () => host().compaction,
    conversation: current.conversation,
    threshold: () => config().number('agent.compactAt', 0),
    emit,
    log: (message) => log('warn', message),
  })

  return {
    options,
    host,
    config,
    screen,
    findKey,
    models,
    choice,
    toolSet,
    answer,
    sessionDir: context.dir,
    current,
    emit,
    call,
    system,
    retries,
    concurrency,
    subAgents,
    background,
    compaction,
    trust: createTrust(configDir),
    undo: new Undo(configDir, cwd),
    dialogs: createDialogs(options.dialogs),
    clock,
  }
}

function modelName(model: { provider: string; id: string } | undefined): { model?: string } {
  return model ? { model: keyOf(model) } : {}
}
