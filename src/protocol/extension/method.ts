// Defines a method of the extension protocol: who receives it, what it carries, and which permission it
// needs.
import type { GenericSchema } from 'valibot'

/** Which side receives it. */
export type Receiver = 'extension' | 'host' | 'both'

/**
 * What each permission lets an extension do. A manifest that lists permissions gets only those. `auth` and
 * `env` are for one name each, as in `auth:openai`.
 */
export const permissionMeanings = {
  'register:tools': 'offer tools to the model',
  'register:commands': 'offer commands to the user',
  'register:prompt': 'add to the system prompt',
  'register:interceptors': 'see every tool call, change it or refuse it',
  'register:events': 'receive events of the agent',
  'register:shortcuts': 'offer keyboard shortcuts',
  'register:hooks': 'add to the prompt of a turn',
  'register:transformers': 'change what the user typed',
  'register:compactor': 'shorten conversations',
  'register:providers': 'answer in place of a model',
  'tools:override': 'replace a tool, command or key that another one has registered',
  'tools:execute': 'run tools',
  'tools:select': 'choose the tools that the model sees',
  'config:read': 'read settings',
  auth: 'get the API key of a provider',
  env: 'get an environment variable',
  'model:call': "call models and run agents at the user's expense",
  'model:select': 'switch models and change their list',
  'session:read': 'read the conversation and other sessions',
  'session:write': 'change the conversation, its tree, its title',
  'agent:control': 'send messages as the user, interrupt turns and quit',
  'undo:restore': 'list and restore earlier contents of files',
  bus: 'exchange messages with other extensions',
} as const

export type Permission = keyof typeof permissionMeanings

export interface Method {
  /** One sentence for the reference. */
  purpose: string
  to: Receiver
  params: GenericSchema
  /** Only requests have one. */
  result?: GenericSchema
  /** How long an answer may take. */
  deadlineMs?: number
  permission?: Permission
}

const seconds = 1000
const minutes = 60 * seconds

/** By what an answer may have to wait for: the start of a program, nothing, a model or a build, a person. */
export const deadlines = {
  start: 10 * seconds,
  quick: 30 * seconds,
  long: 5 * minutes,
  person: 30 * minutes,
} as const
