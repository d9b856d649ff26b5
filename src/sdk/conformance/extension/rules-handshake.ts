// How an extension begins, and what it says of itself.

import { events } from '../../../protocol/extension/events.ts'
import { asArray, asObject, asString } from '../../../std/json.ts'
import { hold } from '../rule.ts'
import { refuseAll } from './probe.ts'
import { type ExtensionRule, readFacts } from './trial.ts'
import { excerpt } from './wire-log.ts'

export const handshakeRule = 'handshake/answers'

export const handshakeRules: ExtensionRule[] = [
  {
    id: handshakeRule,
    title: '`initialize` is answered, after everything was registered',
    level: 'must',
    run: async (trial) => {
      const probe = await trial.start()
      const { result } = await probe.answerTo(1)
      trial.learn(readFacts(trial.manifest, probe, result))
      await trial.settle()
    },
  },
  {
    id: 'handshake/name',
    title: 'The answer has the name and the version of the manifest',
    level: 'should',
    run: async ({ facts, manifest }) => {
      const { name, version } = asObject(facts.answer) ?? {}
      hold(name === manifest.name && (manifest.version === '' || version === manifest.version), {
        expected: JSON.stringify({ name: manifest.name, version: manifest.version }),
        received: excerpt(JSON.stringify(facts.answer)),
        fix: 'Say the same in both places: people see the one, and logs the other.',
      })
    },
  },
  {
    id: 'handshake/offers-something',
    title: 'Something is registered',
    level: 'should',
    run: async ({ facts }) =>
      hold(Object.values(facts.registrations).flat().length > 0, {
        expected:
          'at least one tool, command, event handler or other registration before the answer to `initialize`',
        received: 'none that counts',
        fix: 'Register first, then answer: what comes later is ignored.',
      }),
  },
  {
    id: 'handshake/each-once',
    title: 'No name is registered twice',
    level: 'should',
    run: async ({ facts: { registrations } }) => {
      const names = Object.entries(registrations).flatMap(([method, list]) =>
        list.map(
          (one) =>
            `${method} ${Object.values(asObject(one) ?? {}).find((value) => typeof value === 'string')}`,
        ),
      )
      const twice = names.filter((name, at) => names.indexOf(name) !== at)
      hold(twice.length === 0, {
        expected: 'every tool, command, key and handler once',
        received: twice.join(', '),
        fix: 'Rename one of them: of two with the same name only the last counts.',
      })
    },
  },
  {
    id: 'handshake/tool-schemas',
    title: 'The parameters of tools are JSON Schemas of objects',
    level: 'must',
    requires: 'register/tool',
    run: async ({ facts }) => {
      for (const tool of facts.registrations['register/tool']) {
        const problem = findSchemaProblem(tool.parameters)
        hold(problem === undefined, {
          expected: `\`parameters\` of the tool ${tool.name} to be {"type": "object", "properties": {…}}`,
          received: `${problem}: ${excerpt(JSON.stringify(tool.parameters))}`,
          fix: 'Describe the arguments as an object: providers of models refuse the whole request otherwise.',
        })
      }
    },
  },
  {
    id: 'handshake/descriptions',
    title: 'Tools and commands say what they are for',
    level: 'should',
    run: async ({ facts: { registrations } }) => {
      const silent = [...registrations['register/tool'], ...registrations['register/command']].filter(
        ({ description }) => description === '',
      )
      hold(silent.length === 0, {
        expected: 'a `description` of each tool and command',
        received: `none of ${silent.map(({ name }) => name).join(', ')}`,
        fix: 'Write one: the model decides by it, and people read it in the list of commands.',
      })
    },
  },
  {
    id: 'handshake/events',
    title: 'Event handlers and interceptors ask for things there are',
    level: 'should',
    run: async ({ facts: { registrations } }) => {
      const wanted = registrations['register/eventHandler'].flatMap((handler) => handler.events)
      const hooks = registrations['register/interceptor'].flatMap((interceptor) => interceptor.hooks ?? [])
      const unknown = [
        ...wanted.filter((name) => !Object.hasOwn(events, name)),
        ...hooks.filter((hook) => !['before', 'after'].includes(hook)),
      ]
      hold(unknown.length === 0, {
        expected: `events out of ${Object.keys(events).join(', ')}; hooks out of before, after`,
        received: unknown.join(', '),
        fix: 'Correct the names: nobody will ever tell of these.',
      })
    },
  },
  {
    id: 'handshake/keys',
    title: 'Keys are written as hosts know them',
    level: 'must',
    requires: 'register/shortcut',
    run: async ({ facts }) => {
      const wrong = facts.registrations['register/shortcut']
        .map(({ key }) => key)
        .filter((key) => !isKey(key))
      hold(wrong.length === 0, {
        expected:
          '`ctrl+`, `alt+`, `shift+` in this order, and one letter; ctrl or alt must be there, and ctrl+c, ctrl+z, ctrl+m are taken',
        received: wrong.join(', '),
        fix: 'Take another key: this one can never be pressed.',
      })
    },
  },
  {
    id: 'handshake/refused',
    title: 'It starts as well where the host refuses what it asks for',
    level: 'should',
    run: async ({ start }) => {
      await start({ answerWith: refuseAll })
    },
  },
  {
    id: 'handshake/no-config-dir',
    title: 'It starts without a directory for settings',
    level: 'should',
    run: async ({ open, initializeParams, limits }) => {
      const { configDir: _left, ...rest } = initializeParams()
      const { error } = await open().ask('initialize', rest, limits.startMs)
      hold(error === undefined, {
        expected: '`initialize` without `configDir` to be answered with a result',
        received: `error ${error?.code}: ${error?.message}`,
        fix: 'Do without it: hosts leave it out where there is no home directory.',
      })
    },
  },
  {
    id: 'handshake/same-again',
    title: 'It registers the same each time',
    level: 'should',
    run: async (trial) => {
      const probe = await trial.start()
      const { registrations } = readFacts(trial.manifest, probe, undefined)
      const [before, now] = [namesOf(trial.facts.registrations), namesOf(registrations)]
      hold(before === now, {
        expected: before,
        received: now,
        fix: 'Register what there is in a fixed order; what depends on the project may differ, but not from one start to the next.',
      })
    },
  },
]

function isKey(key: string): boolean {
  const [, ctrl, alt, letter] = /^(ctrl\+)?(alt\+)?(?:shift\+)?([a-z])$/.exec(key) ?? []
  if (letter === undefined || (ctrl === undefined && alt === undefined)) return false
  return !['ctrl+c', 'ctrl+z', 'ctrl+m'].includes(key)
}

function namesOf(registrations: object): string {
  const lists = Object.entries(registrations) as [string, object[]][]
  const names = lists.flatMap(([method, list]) =>
    list.map((one) => `${method.slice('register/'.length)} ${labelOf(one)}`),
  )
  return excerpt(names.sort().join(', '))
}

function labelOf(one: object): string {
  const { name, key, title, api } = one as Record<string, unknown>
  return asString(name) ?? asString(key) ?? asString(title) ?? asString(api) ?? ''
}

// Whether the parameters of a tool are something that models can be given.

/** What is wrong with it, in words. */
export function findSchemaProblem(schema: unknown): string | undefined {
  const root = asObject(schema)
  if (root === undefined) return 'it is no object'
  // Nothing at all means: no arguments.
  if (Object.keys(root).length === 0) return undefined
  if (root.type !== 'object') return 'its type is not "object"'
  const properties = root.properties === undefined ? {} : asObject(root.properties)
  if (properties === undefined) return 'its properties are no object'
  const bad = Object.entries(properties).find(
    ([, property]) => asObject(property) === undefined && typeof property !== 'boolean',
  )
  if (bad) return `its property ${bad[0]} is no schema`
  if (root.required !== undefined && !Array.isArray(root.required)) return 'its required is no list'
  const missing = asArray(root.required).filter(
    (name) => typeof name !== 'string' || !Object.hasOwn(properties, name),
  )
  return missing.length === 0 ? undefined : `it requires ${missing.join(', ')} and has no such property`
}
