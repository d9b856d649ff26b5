// Lists the registrations that an extension sends before it answers `initialize`, in their order.

import type { Registration, SentParams } from '../../protocol/extension/table.ts'
import { given } from '../../std/given.ts'
import { inOrder, type Offers, type Ranked } from './offers.ts'

export type Announcement = { [R in Registration]: [method: R, params: SentParams<R>] }[Registration]

const emptySchema = { type: 'object', properties: {} }

/**
 * Several handlers of one kind are announced as one: the host asks the extension once, and the extension asks
 * all of them.
 */
export function announcements(offers: Offers): Announcement[] {
  const {
    tools,
    commands,
    promptSections,
    interceptors,
    listeners,
    shortcuts,
    messageHooks,
    inputTransformers,
    compactor,
    providers,
  } = offers
  return [
    ...[...tools].map(
      ([name, { execute: _execute, parameters = emptySchema, ...tool }]): Announcement => [
        'register/tool',
        { name, parameters, ...tool },
      ],
    ),
    ...[...commands].map(
      ([name, { description, immediate }]): Announcement => [
        'register/command',
        { name, description, ...given({ immediate: immediate || undefined }) },
      ],
    ),
    ...[...promptSections].map(
      ([title, section]): Announcement => ['register/promptSection', { title, ...section }],
    ),
    ...[...interceptors].map(([name, { priority = 0, before, after }]): Announcement => {
      const hooks = [...(before ? ['before'] : []), ...(after ? ['after'] : [])]
      return ['register/interceptor', { name, priority, hooks }]
    }),
    ...together(listeners).map(
      (ranked): Announcement => ['register/eventHandler', { ...ranked, events: eventsOf(listeners) }],
    ),
    ...[...shortcuts].map(
      ([key, { description }]): Announcement => ['register/shortcut', { key, description }],
    ),
    ...together(messageHooks).map((ranked): Announcement => ['register/messageHook', ranked]),
    ...together(inputTransformers).map((ranked): Announcement => ['register/inputTransformer', ranked]),
    ...(compactor ? [compactor] : []).map(
      ({ name = 'compactor', threshold = 0 }): Announcement => ['register/compactor', { name, threshold }],
    ),
    ...[...providers.keys()].map((api): Announcement => ['register/provider', { api }]),
  ]
}

function together(entries: Ranked[]): Ranked[] {
  const [first, ...rest] = inOrder(entries)
  return first ? [{ name: [first, ...rest].map(({ name }) => name).join('+'), priority: first.priority }] : []
}

function eventsOf(listeners: Offers['listeners']): string[] {
  if (listeners.some(({ events }) => events.length === 0)) return []
  return [...new Set(listeners.flatMap(({ events }) => events))]
}
