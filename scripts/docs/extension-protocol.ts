// Generates the reference of the extension protocol from its table.
import { callbacks, lifecycle } from '../../src/protocol/extension/callbacks.ts'
import { extensionEvents } from '../../src/protocol/extension/events.ts'
import { hostServices } from '../../src/protocol/extension/host-services.ts'
import { sessionServices } from '../../src/protocol/extension/host-session.ts'
import { type Method, permissionMeanings } from '../../src/protocol/extension/method.ts'
import { notices, registrations } from '../../src/protocol/extension/offers.ts'
import { rpcErrorCodes } from '../../src/protocol/extension/rpc.ts'
import { extensionProtocolVersion, maxLineBytes, methods } from '../../src/protocol/extension/table.ts'

type Table = Record<string, Method>

const groups: [title: string, text: string, table: Table][] = [
  ['Lifecycle', 'The start and the end of an extension, and cancelled requests.', lifecycle],
  [
    'Registrations',
    'Notices to the host, all of them before the answer to `initialize`. An invalid one is ignored; the others count.',
    registrations,
  ],
  ['Callbacks', 'What the host asks an extension that registered for it.', callbacks],
  ['Notices', 'What an extension tells the host without an answer.', notices],
  [
    'Services',
    'What an extension may ask the host about tools, models, settings and the running agent.',
    hostServices,
  ],
  [
    'Sessions, the user, other extensions',
    'What an extension may ask the host about sessions, the user and other extensions.',
    sessionServices,
  ],
]

const codeMeanings: Record<keyof typeof rpcErrorCodes, string> = {
  invalidRequest: 'invalid params of `host/setConversationMessages`',
  unknownMethod: 'a method that the receiver does not know',
  invalidParams: 'invalid params; the path of the field is in the message. Also an unknown tool or command',
  failed: 'the request failed, was cancelled, took too long, or is not allowed',
  notFound: 'there is no tool, snapshot or other object with that name',
}

export function extensionReference(): string {
  const parts = [
    '# The extension protocol',
    '',
    'Generated from `src/protocol/extension/table.ts`. For an introduction, read [Write an extension](../write-an-extension.md) first.',
    'All messages as JSON Schema: [`protocol.json`](../../schemas/extension/protocol.json), events:',
    '[`events.json`](../../schemas/extension/events.json), manifests: [`manifest.json`](../../schemas/extension/manifest.json).',
    '',
    ...conventions,
    ...groups.flatMap(([title, text, table]) => [`## ${title}`, '', text, '', ...methodTable(table)]),
    '## Events',
    '',
    '`event/dispatch` has the name of the event in `type` and these fields in `data`. In the order of a run:',
    '',
    '| type | when | data |',
    '|---|---|---|',
    ...Object.entries(extensionEvents).map(
      ([name, { purpose, data }]) => `| \`${name}\` | ${purpose} | ${fieldList(data)} |`,
    ),
    '',
    '## Permissions',
    '',
    'An extension whose manifest lists `permissions` gets only those. Without a list it may do everything, but the user is asked before it gets',
    'keys or secrets from the environment. `auth` and `env` are for one name each, as in `auth:openai` and `env:GITHUB_TOKEN`.',
    '',
    '| permission | allows an extension to |',
    '|---|---|',
    ...Object.entries(permissionMeanings).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
    '',
    '## Errors',
    '',
    '| code | when |',
    '|---|---|',
    ...Object.entries(rpcErrorCodes).map(
      ([name, code]) => `| ${code} | ${codeMeanings[name as keyof typeof rpcErrorCodes]} |`,
    ),
    '',
  ]
  return parts.join('\n')
}

const conventions = [
  `Version ${extensionProtocolVersion}: JSON-RPC 2.0, one message per line, UTF-8. ${Object.keys(methods).length} methods.`,
  '',
  '- A host starts the program that the manifest names, in the directory of the extension, and talks to it until it ends.',
  '- There are two channels: descriptors 3 (to the extension) and 4 (from it) with `PIGLET_FD=1` in the environment, and standard input and',
  '  output. The host uses the one on which the extension answers.',
  '- Both sides may send requests at any time, several at once; answers come in any order. Ids are integers, and each side has its own.',
  `- A line must be shorter than ${maxLineBytes / 1024 / 1024} MiB. A longer one is an error of that message.`,
  '- `$/cancelRequest` cancels a request. Its answer may still come, and is ignored.',
  '- A missing field and `null` mean the same, for lists and texts as well. Unknown fields are ignored.',
  '- Unknown notices are ignored; unknown requests are answered with an error.',
  '',
]

function methodTable(table: Table): string[] {
  const rows = Object.entries(table).map(([name, method]) => {
    const cells = [
      `\`${name}\``,
      kindOf(method),
      fieldList(method.params),
      method.result ? fieldList(method.result) : '–',
      limitOf(method),
    ]
    return `| ${[...cells, method.permission ? `\`${method.permission}\`` : '–', method.purpose].join(' | ')} |`
  })
  return [
    '| method | kind | params | result | time | permission | what it does |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ]
}

const receivers = { host: 'to the host', extension: 'to the extension', both: 'both ways' } as const

function kindOf({ to, result }: Method): string {
  return `${result ? 'request' : 'notice'} ${receivers[to]}`
}

function limitOf({ deadlineMs }: Method): string {
  if (deadlineMs === undefined) return '–'
  return deadlineMs < 60_000 ? `${deadlineMs / 1000} s` : `${deadlineMs / 60_000} min`
}

/** Names of the fields, with a question mark for those that may be missing. */
function fieldList(schema: unknown): string {
  const { entries, wrapped, type } = schema as {
    entries?: Record<string, { type: string }>
    wrapped?: unknown
    type?: string
  }
  if (entries) {
    const names = Object.entries(entries).map(([name, field]) =>
      /^(?:nullish|optional|nullable)$/.test(field.type) ? `${name}?` : name,
    )
    return names.length === 0 ? '–' : `\`${names.join(', ')}\``
  }
  if (wrapped) return fieldList(wrapped)
  return type === 'unknown' ? 'anything' : '–'
}
