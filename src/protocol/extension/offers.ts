// What an extension offers. All of it is said between `initialize` and its answer.
import * as v from 'valibot'
import { flag, integer, nothing, shape, some, text, texts } from './fields.ts'
import type { Capability, Method } from './method.ts'

const filled = v.pipe(v.string(), v.nonEmpty('must not be empty'))

const registration = <Params extends v.GenericSchema>(
  purpose: string,
  capability: Capability,
  params: Params,
) => ({ purpose, to: 'host', params, capability }) as const

/** Lower priorities come first, except for interceptors: there the higher ones do. */
const named = { name: filled, priority: integer }

export const registrations = {
  'register/tool': registration(
    'A tool for the model.',
    'register:tools',
    shape({
      name: filled,
      description: text,
      parameters: v.optional(v.unknown()),
      promptHint: some.text,
      deferred: flag,
      interruptBehavior: some.text,
      backgroundSafe: flag,
    }),
  ),
  'register/command': registration(
    'A command for the user, without its slash.',
    'register:commands',
    shape({ name: filled, description: text, immediate: flag }),
  ),
  'register/promptSection': registration(
    'A part of the system prompt.',
    'register:prompt',
    shape({ title: filled, content: text, order: integer, tokenHint: integer }),
  ),
  'register/interceptor': registration(
    'Somebody to ask before every tool call and to tell after it.',
    'register:interceptors',
    shape({ ...named, hooks: some.texts }),
  ),
  'register/eventHandler': registration(
    'Somebody who hears of events; without a list, of all.',
    'register:events',
    shape({ ...named, events: texts }),
  ),
  'register/shortcut': registration(
    'A key.',
    'register:shortcuts',
    shape({ key: filled, description: text }),
  ),
  'register/messageHook': registration(
    'Somebody who adds to the prompt of a turn.',
    'register:hooks',
    shape(named),
  ),
  'register/inputTransformer': registration(
    'Somebody who may change what the user typed.',
    'register:transformers',
    shape(named),
  ),
  'register/compactor': registration(
    'Somebody who shortens conversations, from so many tokens on.',
    'register:compactor',
    shape({ name: filled, threshold: integer }),
  ),
  'register/provider': registration(
    'Somebody who speaks for models of this kind. May be said several times.',
    'register:providers',
    shape({ api: filled }),
  ),
} as const satisfies Record<string, Method>

// What an extension tells the host without waiting for an answer.

const notice = <Params extends v.GenericSchema>(purpose: string, params: Params) =>
  ({ purpose, to: 'host', params }) as const
const allowed = <Params extends v.GenericSchema>(purpose: string, params: Params, capability: Capability) =>
  ({ purpose, to: 'host', params, capability }) as const

export const deltaTypes = ['text_delta', 'thinking_delta', 'toolcall_delta', 'toolcall_end'] as const

export const notices = {
  notify: notice('Shows a short message for a moment.', shape({ message: text, level: text })),
  showMessage: notice('Shows a message that stays.', shape({ text })),
  log: notice('Writes into the log of the host.', shape({ level: text, message: text })),
  setWidget: notice(
    'Shows lines in a place of their own; without content they go.',
    shape({ key: text, placement: text, content: text }),
  ),
  showOverlay: notice(
    'Shows a window over everything, or replaces it.',
    shape({ key: text, title: text, content: text, anchor: text, width: text }),
  ),
  closeOverlay: notice('Closes it.', shape({ key: text })),
  setInputText: notice('Puts text where the user types.', shape({ text })),
  sendMessage: allowed(
    'Says something as the user: now, or after the running turn.',
    shape({ content: text }),
    'agent:control',
  ),
  steer: allowed(
    'Says something as the user into the running turn.',
    shape({ content: text }),
    'agent:control',
  ),
  abortWithMarker: allowed('Ends the running turn, and notes why.', shape({ reason: text }), 'agent:control'),
  abort: allowed('Ends the running turn.', nothing, 'agent:control'),
  'provider/delta': notice(
    'A piece of an answer that is being made.',
    shape({
      requestId: integer,
      type: text,
      index: integer,
      delta: text,
      tool: v.nullish(shape({ id: text, name: text, arguments: text })),
    }),
  ),
} as const satisfies Record<string, Method>

export type DeltaType = (typeof deltaTypes)[number]
