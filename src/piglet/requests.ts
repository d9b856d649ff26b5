// Answers the requests of extensions that concern piglet: agents and the user, the session, and settings.

import type { ExtensionApp } from '../extensions/host-side.ts'
import { RpcFailure, rpcErrorCodes } from '../protocol/extension/rpc.ts'
import { messageOf } from '../std/errors.ts'
import type { MainAgent } from './agent/main-agent.ts'
import type { StepMode } from './agent/step-mode.ts'
import { parseCompactMessages } from './conversation/message.ts'
import { lastAssistantText, sessionStats } from './conversation/repair.ts'
import { modelKey } from './models/model.ts'
import { modelInfos } from './models/model-list.ts'
import type { Services } from './services.ts'
import { customMessage } from './sessions/session.ts'
import { listPigletSessions } from './sessions/session-file.ts'
import { readExtensionText } from './settings/config.ts'

type AppRequests = ExtensionApp['requests']

/** About the running agent, sub-agents, background tasks and the user. */
export function agentRequests(
  { subAgents, background, compaction, screen, dialogs, host, choice }: Services,
  agent: MainAgent,
  stepMode: StepMode,
) {
  return {
    'host/chat': (params, { signal }) => subAgents.chat(params, signal),
    'host/agent.run': (params, { signal }) => subAgents.agentRun(params, signal),
    'host/runBackground': ({ prompt }) => {
      choice.current()
      background.start(prompt)
      return {}
    },
    'host/cancelBackground': () => {
      background.cancel()
      return {}
    },
    'host/isBackgroundRunning': () => ({ running: background.isRunning() }),
    'host/toggleStepMode': () => ({ on: stepMode.toggle() }),
    'host/requestQuit': () => {
      screen.quit()
      return {}
    },
    'host/abort': () => {
      agent.abort()
      return {}
    },
    'host/triggerCompact': async (_params, { signal }) => {
      if (!host().compaction.isPresent())
        throw new RpcFailure(rpcErrorCodes.failed, 'no compactor registered')
      try {
        return await compaction.now(signal)
      } catch (error) {
        throw new RpcFailure(rpcErrorCodes.failed, `compact failed: ${messageOf(error)}`)
      }
    },
    'host/waitForIdle': async () => {
      await agent.idle()
      await background.idle()
      return {}
    },
    'host/showPicker': async ({ title, items }, { extension, signal }) => {
      const shown = items.map(({ id, label, desc }) => ({ id, label, ...(desc ? { desc } : {}) }))
      return {
        selected:
          (await dialogs.put({ kind: 'pick', title, items: shown, extension: extension.name }, signal)) ?? '',
      }
    },
    'host/askUser': async ({ prompt, choices }, { extension, signal }) => {
      const selected = await dialogs.put({ kind: 'ask', prompt, choices, extension: extension.name }, signal)
      return { selected: selected ?? '', cancelled: selected === undefined }
    },
  } satisfies Partial<AppRequests>
}

/** About the conversation and its session. */
export function sessionRequests({ current, choice, toolSet, system, screen, sessionDir, clock }: Services) {
  const messages = () => current.conversation().messages()
  return {
    'host/conversationMessages': () => ({ messages: messages() }),
    'host/setConversationMessages': async ({ messages: newMessages }) => {
      await current.conversation().replace(parseCompactMessages(newMessages), 0)
      return {}
    },
    'host/llmSnapshot': () => ({
      system: system(),
      messages: messages(),
      tools: toolSet.schemas(choice.find()),
    }),
    'host/lastAssistantText': () => ({ text: lastAssistantText(messages()) }),
    'host/sessionStats': () => {
      const model = choice.find()
      return sessionStats(messages(), model ? modelKey(model) : '')
    },
    'host/sessions': async () => ({
      sessions: (await listPigletSessions(sessionDir)).map(
        ({ id, title = '', cwd, createdAt, parentId, path }) => ({
          id,
          title,
          cwd,
          createdAt,
          ...(parentId ? { parentId } : {}),
          path,
        }),
      ),
    }),
    'host/loadSession': ({ path }) => {
      current.load(path)
      return {}
    },
    'host/forkSession': async () => {
      const { parentId, count } = await current.fork()
      return { parentID: parentId, messageCount: count }
    },
    'host/setSessionTitle': async ({ title }) => {
      screen.setTitle(title)
      await current.session().change({ title })
      return {}
    },
    'host/sessionTitle': () => ({ title: current.session().meta().title ?? '' }),
    'host/appendSessionEntry': async ({ kind, data }) => {
      await current.session().addOwn(kind, data)
      return {}
    },
    'host/appendCustomMessage': async ({ role, content }) => {
      if (role !== 'user' && role !== 'assistant')
        throw new RpcFailure(rpcErrorCodes.invalidParams, 'invalid params: role must be user or assistant')
      await current
        .conversation()
        .addCustom(role, customMessage(role, content, clock().toISOString()), content)
      return {}
    },
    'host/setLabel': async ({ targetId, label }) => {
      await current.session().label(targetId, label)
      return {}
    },
    'host/branchSession': async ({ entryId }) => {
      await current.branch(entryId, '')
      return {}
    },
    'host/branchSessionWithSummary': async ({ entryId, summary }) => {
      await current.branch(entryId, summary)
      return {}
    },
    'host/resetSessionLeaf': async () => {
      await current.reset()
      return {}
    },
    'host/sessionEntryInfos': () => ({ entries: current.session().infos() }),
    'host/sessionFullTree': () => ({ nodes: current.session().fullTree() }),
  } satisfies Partial<AppRequests>
}

/** About settings, keys, models, tools and undo. */
export function settingsRequests({ config, options, findKey, models, choice, toolSet, undo }: Services) {
  return {
    'host/config.get': ({ keys }) => {
      const settings = config()
      const values = keys
        .map((key) => [key, settings.get(key)] as const)
        .filter(([, value]) => value !== undefined)
      return { values: Object.fromEntries(values) }
    },
    'host/config.readExtension': ({ name }) => ({ content: readExtensionText(options.configDir, name) }),
    'host/auth.getKey': async ({ provider }) => ({ key: await findKey(provider) }),
    'host/availableModels': () => {
      const current = choice.find()
      return { models: modelInfos(models.all(), current ? modelKey(current) : '') }
    },
    'host/switchModel': ({ modelId, persistDefault }) => {
      choice.switchTo(modelId, persistDefault)
      return {}
    },
    'host/syncModels': async () => ({ updated: await models.sync() }),
    'host/writeModels': ({ overrides }) => ({ modelsWritten: models.write(overrides) }),
    'host/activateTool': ({ name }) => {
      toolSet.activate(name)
      return {}
    },
    'host/setToolFilter': ({ names }) => {
      toolSet.setFilter(names)
      return {}
    },
    'host/undoSnapshots': () => ({ snapshots: undo.list() }),
    'host/undoRestore': ({ path }) => {
      undo.restore(path)
      return {}
    },
  } satisfies Partial<AppRequests>
}
