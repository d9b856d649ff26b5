// What extensions ask about the conversation and the session it is in.
import { codes } from '../../../protocol/extension-line.ts'
import { RpcFailure } from '../../../protocol/extension-peer.ts'
import { parseCompactMessages } from '../conversation/parse-message.ts'
import { lastAssistantText, sessionStats } from '../conversation/stats.ts'
import { keyOf } from '../models/model.ts'
import type { Services } from '../services.ts'
import { customMessage } from '../sessions/branch-messages.ts'
import { listSessions } from '../sessions/session-list.ts'
import type { Requests } from './requests.ts'

export function sessionRequests({ current, choice, toolSet, system, screen, sessionDir, clock }: Services) {
  const messages = () => current.conversation().messages()
  return {
    'host/conversationMessages': () => ({ messages: messages() }),
    'host/setConversationMessages': async ({ messages: newer }) => {
      await current.conversation().replace(parseCompactMessages(newer), 0)
      return {}
    },
    'host/llmSnapshot': () => ({ system: system(), messages: messages(), tools: toolSet.schemas(choice.find()) }),
    'host/lastAssistantText': () => ({ text: lastAssistantText(messages()) }),
    'host/sessionStats': () => {
      const model = choice.find()
      return sessionStats(messages(), model ? keyOf(model) : '')
    },
    'host/sessions': async () => ({
      sessions: (await listSessions(sessionDir)).map(({ id, title = '', cwd, createdAt, parentId, path }) => ({
        id,
        title,
        cwd,
        createdAt,
        ...(parentId ? { parentId } : {}),
        path,
      })),
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
        throw new RpcFailure(codes.invalidParams, 'invalid params: role must be user or assistant')
      await current.conversation().addCustom(role, customMessage(role, content, clock().toISOString()), content)
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
  } satisfies Partial<Requests>
}
