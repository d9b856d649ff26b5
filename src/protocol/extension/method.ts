// What the table of the extension protocol says of a method.
import type { GenericSchema } from 'valibot'

/** Who answers it, or hears of it. */
export type Receiver = 'extension' | 'host' | 'both'

/**
 * What a manifest that lists permissions must list for a call to be answered. Those of `auth` and `env` are for one name each, as in
 * `auth:openai`.
 */
export const capabilities = {
  'register:tools': 'offer tools to the model',
  'register:commands': 'offer commands to the user',
  'register:prompt': 'add to the system prompt',
  'register:interceptors': 'look at every tool call, change it or refuse it',
  'register:events': 'hear what the agent does',
  'register:shortcuts': 'take keys',
  'register:hooks': 'add to the prompt of a turn',
  'register:transformers': 'change what the user typed',
  'register:compactor': 'shorten conversations',
  'register:providers': 'answer in place of a model',
  'tools:override': 'take the place of a tool, command or key that is there already',
  'tools:execute': 'run tools',
  'tools:select': 'choose the tools that the model sees',
  'config:read': 'read settings',
  auth: 'have the key of a provider',
  env: 'have a variable of the environment',
  'model:call': 'ask models, and run agents, at the expense of the user',
  'model:select': 'change models and their list',
  'session:read': 'read the conversation and other sessions',
  'session:write': 'change the conversation, its tree, its title',
  'agent:control': 'speak for the user, interrupt and end',
  'undo:restore': 'read and put back earlier contents of files',
  bus: 'talk to other extensions',
} as const

export type Capability = keyof typeof capabilities

export interface Method {
  /** One sentence for the reference. */
  purpose: string
  to: Receiver
  params: GenericSchema
  /** Only requests have one. */
  result?: GenericSchema
  /** How long an answer may take. */
  deadlineMs?: number
  capability?: Capability
}

const seconds = 1000
const minutes = 60 * seconds

/** An answer that takes a person, a model or a build has time; one that takes neither has not. */
export const deadlines = {
  start: 10 * seconds,
  quick: 30 * seconds,
  long: 5 * minutes,
  person: 30 * minutes,
} as const
