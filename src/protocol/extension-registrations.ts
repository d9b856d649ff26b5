// What an extension offers. All of it is said between `initialize` and its answer.
import * as v from 'valibot'
import { flag, integer, shape, some, text, texts } from './extension-fields.ts'
import type { Capability, Method } from './extension-method.ts'

const filled = v.pipe(v.string(), v.nonEmpty('must not be empty'))

const registration = <Params extends v.GenericSchema>(purpose: string, capability: Capability, params: Params) =>
  ({ purpose, to: 'host', params, capability }) as const

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
  'register/shortcut': registration('A key.', 'register:shortcuts', shape({ key: filled, description: text })),
  'register/messageHook': registration('Somebody who adds to the prompt of a turn.', 'register:hooks', shape(named)),
  'register/inputTransformer': registration('Somebody who may change what the user typed.', 'register:transformers', shape(named)),
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
