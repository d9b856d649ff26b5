// Generates the reference of the external agent protocol from its table.
import { eventNames, eventNumbers } from '../../src/protocol/external-agent/event.ts'
import { examples } from '../../src/protocol/external-agent/examples.ts'
import {
  type Capability,
  capabilities,
  type MessageName,
} from '../../src/protocol/external-agent/messages.ts'
import {
  agentProtocolVersion,
  type Content,
  executablePrefix,
  limits,
  type Subcommand,
} from '../../src/protocol/external-agent/subcommand.ts'
import { findSubcommand, type SubcommandName, subcommands } from '../../src/protocol/external-agent/table.ts'

const names = Object.keys(subcommands) as SubcommandName[]

export function externalAgentReference(): string {
  const groups = (Object.keys(capabilities) as Capability[]).flatMap((capability) => [
    `### \`${capability}\``,
    '',
    capabilities[capability],
    '',
    ...subcommandTable((subcommand) => subcommand.capability === capability),
  ])
  const parts = [
    '# The external agent protocol',
    '',
    'Generated from `src/protocol/external-agent/table.ts`. For an introduction, read [Write an agent plugin](../write-an-agent-plugin.md) first.',
    '',
    ...conventions,
    '## Mandatory subcommands',
    '',
    ...subcommandTable((subcommand) => subcommand.capability === undefined),
    '## Optional subcommands',
    '',
    'Called only when `info` declares the capability they belong to.',
    '',
    ...groups,
    '## Events',
    '',
    'The answer to `parse-hook`: `type` is a number. Only `type` and `session_id` are required.',
    '',
    '| type | name |',
    '|---|---|',
    ...Object.entries(eventNumbers).map(
      ([type, number]) => `| ${number} | ${eventNames[type as keyof typeof eventNames]} |`,
    ),
    '',
    '## Messages',
    '',
    'Each has a JSON Schema in `schemas/external-agent/`. Readers drop unknown fields (those of a session are kept), and treat `null` as',
    'a missing field or an empty list.',
    '',
    ...messageNames().flatMap((name) => [
      `### [\`${name}\`](../../schemas/external-agent/${name}.json)`,
      '',
      `${usesOf(name)}.`.replace(/^\w/, (letter) => letter.toUpperCase()),
      '',
      '```json',
      JSON.stringify(examples[name]),
      '```',
      '',
    ]),
  ]
  return parts.join('\n')
}

const conventions = [
  `A plugin is an executable called \`${executablePrefix}<name>\` in a directory of the PATH. It is started once for each call:`,
  'one subcommand, sometimes with standard input, and one answer on standard output. It keeps no state between calls.',
  '',
  '- The working directory is the root of the repository; `ENTIRE_REPO_ROOT` names it too, and',
  `  \`ENTIRE_PROTOCOL_VERSION\` is \`${agentProtocolVersion}\`.`,
  '- Exit code 0 means success. Any other is a failure, and standard error is shown to the user.',
  `- A call may take ${limits.timeoutMs / 1000} s. After that it is stopped, with every process it has started.`,
  `- Standard output and standard error may hold ${limits.maxBytes / 1024 / 1024} MB each. Standard input has no limit.`,
  '- Calls are not repeated.',
  '',
]

function subcommandTable(belongs: (subcommand: Subcommand) => boolean): string[] {
  const rows = names.filter((name) => belongs(findSubcommand(name))).map(describeSubcommand)
  return ['| subcommand | stdin | stdout | what it does | when |', '|---|---|---|---|---|', ...rows, '']
}

function describeSubcommand(name: SubcommandName): string {
  const { args, stdin, stdout, purpose, called, blankIsNull } = findSubcommand(name)
  const flags = Object.entries(args).map(([flag, kind]) =>
    kind === 'switch' ? `[--${flag}]` : `--${flag} <${kind}>`,
  )
  const call = `\`${[name, ...flags].join(' ')}\``
  const cells = [
    call,
    describeContent(stdin),
    `${describeContent(stdout)}${blankIsNull ? ' or nothing' : ''}`,
    purpose,
    called,
  ]
  return `| ${cells.join(' | ')} |`
}

function describeContent(content: Content): string {
  if (content === 'nothing') return '–'
  return content === 'bytes' ? 'raw bytes' : `[\`${content}\`](../../schemas/external-agent/${content}.json)`
}

function messageNames(): MessageName[] {
  const all = names.flatMap((name) => [findSubcommand(name).stdin, findSubcommand(name).stdout])
  return [...new Set(all)]
    .filter((content): content is MessageName => content !== 'bytes' && content !== 'nothing')
    .sort()
}

function usesOf(message: MessageName): string {
  const uses = names.flatMap((name) => {
    const { stdin, stdout } = findSubcommand(name)
    return [
      ...(stdin === message ? [`sent to \`${name}\``] : []),
      ...(stdout === message ? [`answer of \`${name}\``] : []),
    ]
  })
  return uses.join(', ')
}
