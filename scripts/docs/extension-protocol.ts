// The reference of the extension protocol, made from its table.
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
  ['Life', 'The beginning and the end.', lifecycle],
  [
    'Registrations',
    'Notices to the host, all of them before the answer to `initialize`. A bad one is ignored; the others count.',
    registrations,
  ],
  ['Callbacks', 'What the host asks of an extension that registered for it.', callbacks],
  ['Notices', 'What an extension tells the host without waiting.', notices],
  [
    'Services',
    'What an extension may ask of the host: tools, models, settings, the running agent.',
    hostServices,
  ],
  [
    'Sessions, people, other extensions',
    'What an extension may ask of the host beside that.',
    sessionServices,
  ],
]

const codeMeanings: Record<keyof typeof rpcErrorCodes, string> = {
  invalidRequest: 'params of `host/setConversationMessages` that cannot be read',
  unknownMethod: 'a method that the receiver does not know',
  invalidParams:
    'params that cannot be read; the path of the field is in the message. Also: a tool or command that is not there',
  failed: 'it could not be done, was taken back, came too late, or is not allowed',
  notFound: 'a tool, snapshot or other thing of that name is not there',
}

export function extensionReference(): string {
  const parts = [
    '# The extension protocol',
    '',
    'Generated from `src/protocol/extension/table.ts`. To learn it, read [Write an extension](../write-an-extension.md) first.',
    'All messages as JSON Schema: [`protocol.json`](../../schemas/extension/protocol.json), events:',
    '[`events.json`](../../schemas/extension/events.json), manifests: [`manifest.json`](../../schemas/extension/manifest.json).',
    '',
    ...conventions,
    ...groups.flatMap(([title, text, table]) => [`## ${title}`, '', text, '', ...methodTable(table)]),
    '## Events',
    '',
    '`event/dispatch` has their name in `type` and this in `data`. In the order of a run:',
    '',
    '| type | when | data |',
    '|---|---|---|',
    ...Object.entries(extensionEvents).map(
      ([name, { purpose, data }]) => `| \`${name}\` | ${purpose} | ${fieldList(data)} |`,
    ),
    '',
    '## Permissions',
    '',
    'A manifest that lists `permissions` gets those and no others. One that does not may do everything, except that the user is asked for',
    'keys and for secrets in the environment. `auth` and `env` are for one name each, as in `auth:openai` and `env:GITHUB_TOKEN`.',
    '',
    '| permission | lets it |',
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
  '- Two ways are offered: descriptors 3 (to the extension) and 4 (from it) with `PIGLET_FD=1` in the environment, and standard input and',
  '  output. The one that the extension answers on is used.',
  '- Both sides may ask at any time and any number of things at once; answers come in any order. Ids are whole numbers, each side has its own.',
  `- A line must be shorter than ${maxLineBytes / 1024 / 1024} MiB. A longer one counts as an error of that message.`,
  '- `$/cancelRequest` takes a request back. The answer may still come, and nobody waits for it.',
  '- Missing and `null` mean the same, for lists and texts as well. Fields that one does not know are ignored.',
  '- Notices that one does not know are ignored, requests are answered with an error.',
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

/** Names of the fields; those that may be missing have a question mark. */
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
