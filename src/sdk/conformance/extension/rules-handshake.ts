// Defines the rules on the start of an extension: the answer to `initialize`, and its registrations.

import { extensionEvents } from '../../../protocol/extension/events.ts'
import { asArray, asObject, asString } from '../../../std/json.ts'
import { hold } from '../rule.ts'
import { refuseAll } from './probe.ts'
import { type ExtensionRule, readFacts } from './trial.ts'
import { excerptOf } from './wire-log.ts'

export const handshakeRule = 'handshake/answers'

export const handshakeRules: ExtensionRule[] = [
  {
    id: handshakeRule,
    title: '`initialize` is answered after all registrations',
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
        received: excerptOf(JSON.stringify(facts.answer)),
        fix: 'Use the same values in both places: users see one, and logs the other.',
      })
    },
  },
  {
    id: 'handshake/offers-something',
    title: 'At least one thing is registered',
    level: 'should',
    run: async ({ facts }) =>
      hold(Object.values(facts.registrations).flat().length > 0, {
        expected:
          'at least one tool, command, event handler or other registration before the answer to `initialize`',
        received: 'no valid one',
        fix: 'Register first, then answer: later registrations are ignored.',
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
      const repeated = names.filter((name, at) => names.indexOf(name) !== at)
      hold(repeated.length === 0, {
        expected: 'every tool, command, key and handler to be registered once',
        received: repeated.join(', '),
        fix: 'Rename one of them: of two with the same name only the last is used.',
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
          received: `${problem}: ${excerptOf(JSON.stringify(tool.parameters))}`,
          fix: 'Describe the arguments as an object: otherwise model providers refuse the whole request.',
        })
      }
    },
  },
  {
    id: 'handshake/descriptions',
    title: 'Tools and commands have a description',
    level: 'should',
    run: async ({ facts: { registrations } }) => {
      const undescribed = [...registrations['register/tool'], ...registrations['register/command']].filter(
        ({ description }) => description === '',
      )
      hold(undescribed.length === 0, {
        expected: 'a `description` for each tool and command',
        received: `none for ${undescribed.map(({ name }) => name).join(', ')}`,
        fix: 'Write one: the model chooses tools by it, and users read it in the list of commands.',
      })
    },
  },
  {
    id: 'handshake/events',
    title: 'Event handlers and interceptors ask for known events and hooks',
    level: 'should',
    run: async ({ facts: { registrations } }) => {
      const wanted = registrations['register/eventHandler'].flatMap((handler) => handler.events)
      const hooks = registrations['register/interceptor'].flatMap((interceptor) => interceptor.hooks ?? [])
      const unknown = [
        ...wanted.filter((name) => !Object.hasOwn(extensionEvents, name)),
        ...hooks.filter((hook) => !['before', 'after'].includes(hook)),
      ]
      hold(unknown.length === 0, {
        expected: `events among ${Object.keys(extensionEvents).join(', ')}; hooks among before, after`,
        received: unknown.join(', '),
        fix: 'Correct the names: hosts never send these.',
      })
    },
  },
  {
    id: 'handshake/keys',
    title: 'Keys are written in the form that hosts know',
    level: 'must',
    requires: 'register/shortcut',
    run: async ({ facts }) => {
      const wrong = facts.registrations['register/shortcut']
        .map(({ key }) => key)
        .filter((key) => !isKey(key))
      hold(wrong.length === 0, {
        expected:
          '`ctrl+`, `alt+`, `shift+` in this order, and one letter; with ctrl or alt, and not ctrl+c, ctrl+z or ctrl+m, which are taken',
        received: wrong.join(', '),
        fix: 'Choose another key: hosts do not deliver this one.',
      })
    },
  },
  {
    id: 'handshake/refused',
    title: 'It starts even when the host refuses its requests',
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
      const { configDir: _omitted, ...rest } = initializeParams()
      const { error } = await open().ask('initialize', rest, limits.startMs)
      hold(error === undefined, {
        expected: '`initialize` without `configDir` to be answered with a result',
        received: `error ${error?.code}: ${error?.message}`,
        fix: 'Start without it: hosts leave it out where there is no home directory.',
      })
    },
  },
  {
    id: 'handshake/same-again',
    title: 'It registers the same things on each start',
    level: 'should',
    run: async (trial) => {
      const probe = await trial.start()
      const { registrations } = readFacts(trial.manifest, probe, undefined)
      const [before, now] = [namesOf(trial.facts.registrations), namesOf(registrations)]
      hold(before === now, {
        expected: before,
        received: now,
        fix: 'Register the same names on each start. They may depend on the project, but not on chance or time.',
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
  return excerptOf(names.sort().join(', '))
}

function labelOf(one: object): string {
  const { name, key, title, api } = one as Record<string, unknown>
  return asString(name) ?? asString(key) ?? asString(title) ?? asString(api) ?? ''
}

/** Why the parameters of a tool cannot be given to a model. */
function findSchemaProblem(schema: unknown): string | undefined {
  const root = asObject(schema)
  if (root === undefined) return 'it is not an object'
  // An empty schema means that the tool takes no arguments.
  if (Object.keys(root).length === 0) return undefined
  if (root.type !== 'object') return 'its type is not "object"'
  const properties = root.properties === undefined ? {} : asObject(root.properties)
  if (properties === undefined) return 'its properties are not an object'
  const bad = Object.entries(properties).find(
    ([, property]) => asObject(property) === undefined && typeof property !== 'boolean',
  )
  if (bad) return `its property ${bad[0]} is not a schema`
  if (root.required !== undefined && !Array.isArray(root.required)) return 'its required is not a list'
  const missing = asArray(root.required).filter(
    (name) => typeof name !== 'string' || !Object.hasOwn(properties, name),
  )
  return missing.length === 0
    ? undefined
    : `it requires ${missing.join(', ')}, which is not one of its properties`
}
