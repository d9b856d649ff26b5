// Declares the notices of an extension to the host: what it registers between `initialize` and its answer,
// and what it reports later.
import * as v from 'valibot'
import { flag, integer, nothing, shape, some, text, texts } from './fields.ts'
import type { Method, Permission } from './method.ts'

const filled = v.pipe(v.string(), v.nonEmpty('must not be empty'))

const registration = <Params extends v.GenericSchema>(
  purpose: string,
  permission: Permission,
  params: Params,
) => ({ purpose, to: 'host', params, permission }) as const

/** Lower priorities run first, except for interceptors: there higher ones do. */
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
    'A section of the system prompt.',
    'register:prompt',
    shape({ title: filled, content: text, order: integer, tokenHint: integer }),
  ),
  'register/interceptor': registration(
    'An interceptor, which is asked before every tool call and told after it.',
    'register:interceptors',
    shape({ ...named, hooks: some.texts }),
  ),
  'register/eventHandler': registration(
    'A handler of events; without a list, of all events.',
    'register:events',
    shape({ ...named, events: texts }),
  ),
  'register/shortcut': registration(
    'A keyboard shortcut.',
    'register:shortcuts',
    shape({ key: filled, description: text }),
  ),
  'register/messageHook': registration(
    'A hook that adds to the prompt of a turn.',
    'register:hooks',
    shape(named),
  ),
  'register/inputTransformer': registration(
    'A transformer of what the user typed.',
    'register:transformers',
    shape(named),
  ),
  'register/compactor': registration(
    'A compactor, which shortens conversations above a number of tokens.',
    'register:compactor',
    shape({ name: filled, threshold: integer }),
  ),
  'register/provider': registration(
    'A provider, which answers for models with this API. May be sent several times.',
    'register:providers',
    shape({ api: filled }),
  ),
} as const satisfies Record<string, Method>

const notice = <Params extends v.GenericSchema>(purpose: string, params: Params) =>
  ({ purpose, to: 'host', params }) as const
const restrictedNotice = <Params extends v.GenericSchema>(
  purpose: string,
  params: Params,
  permission: Permission,
) => ({ purpose, to: 'host', params, permission }) as const

export const notices = {
  notify: notice('Shows a short message for a moment.', shape({ message: text, level: text })),
  showMessage: notice('Shows a message that stays.', shape({ text })),
  log: notice('Writes into the log of the host.', shape({ level: text, message: text })),
  setWidget: notice(
    'Shows a widget; without content it removes the widget.',
    shape({ key: text, placement: text, content: text }),
  ),
  showOverlay: notice(
    'Shows an overlay window, or replaces it.',
    shape({ key: text, title: text, content: text, anchor: text, width: text }),
  ),
  closeOverlay: notice('Closes an overlay window.', shape({ key: text })),
  setInputText: notice('Replaces the text in the input field.', shape({ text })),
  sendMessage: restrictedNotice(
    'Sends a message as the user: now, or after the running turn.',
    shape({ content: text }),
    'agent:control',
  ),
  steer: restrictedNotice(
    'Sends a message as the user into the running turn.',
    shape({ content: text }),
    'agent:control',
  ),
  abortWithMarker: restrictedNotice(
    'Ends the running turn and records the reason.',
    shape({ reason: text }),
    'agent:control',
  ),
  abort: restrictedNotice('Ends the running turn.', nothing, 'agent:control'),
  'provider/delta': notice(
    'A piece of an answer to `provider/stream`.',
    shape({
      requestId: integer,
      type: text,
      index: integer,
      delta: text,
      tool: v.nullish(shape({ id: text, name: text, arguments: text })),
    }),
  ),
} as const satisfies Record<string, Method>
