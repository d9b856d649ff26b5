// Lists every subcommand of the external agent protocol once. The client, the kit for authors, the
// conformance check and the reference are made from this table. It loads no schema; `messages.ts` has those
// by name.

import type { MessageInput, MessageName } from './messages.ts'
import type { ArgumentKind, Subcommand } from './subcommand.ts'

/** Every external agent has these. */
export const mandatory = {
  info: {
    purpose: 'Reports the name, type and capabilities of the agent.',
    args: {},
    stdin: 'nothing',
    stdout: 'info',
    called: 'When plugins are discovered; a plugin that fails here is skipped.',
  },
  detect: {
    purpose: 'Says whether the agent is available here.',
    args: {},
    stdin: 'nothing',
    stdout: 'presence',
    called: '`entire enable`; `false` means that it is not proposed, and a word if it was named.',
  },
  'get-session-id': {
    purpose: 'Returns the id of the session that a hook belongs to.',
    args: {},
    stdin: 'hook-input',
    stdout: 'session-id',
    called: 'When a session starts.',
  },
  'get-session-dir': {
    purpose: 'Says where the agent keeps the sessions of a repository.',
    args: { 'repo-path': 'path' },
    stdin: 'nothing',
    stdout: 'session-dir',
    called: 'When a session starts; `entire rewind` and `entire resume`.',
  },
  'resolve-session-file': {
    purpose: 'Returns the file of a session, whether or not it exists yet.',
    args: { 'session-dir': 'path', 'session-id': 'text' },
    stdin: 'nothing',
    stdout: 'session-file',
    called: 'When a session starts; `entire rewind` and `entire resume`.',
  },
  'read-session': {
    purpose: 'Reads a session as the agent keeps it.',
    args: {},
    stdin: 'hook-input',
    stdout: 'session',
    called: 'When a session starts.',
  },
  'write-session': {
    purpose: 'Puts a session where the agent finds it.',
    args: {},
    stdin: 'session',
    stdout: 'nothing',
    called:
      '`entire rewind` and `entire resume`, to restore a conversation; `read-transcript` must then return it.',
  },
  'read-transcript': {
    purpose: 'Returns the transcript unchanged.',
    args: { 'session-ref': 'path' },
    stdin: 'nothing',
    stdout: 'bytes',
    called: 'At the end of a turn, at a commit, and after `write-session`.',
  },
  'chunk-transcript': {
    purpose: 'Cuts a transcript into chunks that can be stored.',
    args: { 'max-size': 'integer' },
    stdin: 'bytes',
    stdout: 'chunks',
    called: 'When a document is too large for one chunk.',
  },
  'reassemble-transcript': {
    purpose: 'Joins the chunks to exactly the original bytes.',
    args: {},
    stdin: 'chunks',
    stdout: 'bytes',
    called:
      'After cutting, as a check; `entire explain`, `entire rewind` and `entire resume` of a transcript that was cut.',
  },
  'format-resume-command': {
    purpose: 'Returns the command with which the user resumes a session.',
    args: { 'session-id': 'text' },
    stdin: 'nothing',
    stdout: 'resume-command',
    called: '`entire resume`.',
  },
} as const satisfies Record<string, Subcommand>

/** An external agent has these when it declares their capability. */
export const optional = {
  'parse-hook': {
    purpose:
      "Turns the agent's own payload into an event, or into `null` when it has no meaning for the lifecycle.",
    args: { hook: 'text' },
    stdin: 'bytes',
    stdout: 'event',
    capability: 'hooks',
    called: 'At every hook, `entire hooks <name> <hook>`.',
    blankIsNull: true,
  },
  'install-hooks': {
    purpose: 'Installs hooks that call `entire hooks <name> <hook>`, and returns how many were added.',
    args: { 'local-dev': 'switch', force: 'switch' },
    stdin: 'nothing',
    stdout: 'hooks-installed',
    capability: 'hooks',
    called: '`entire enable`.',
  },
  'uninstall-hooks': {
    purpose: 'Removes the hooks.',
    args: {},
    stdin: 'nothing',
    stdout: 'nothing',
    capability: 'hooks',
    called: '`entire disable --uninstall`.',
  },
  'are-hooks-installed': {
    purpose: 'Says whether the hooks are installed.',
    args: {},
    stdin: 'nothing',
    stdout: 'hook-status',
    capability: 'hooks',
    called: '`entire enable`, `entire status`, `entire disable --uninstall`.',
  },
  'get-transcript-position': {
    purpose:
      'Returns the length of a transcript; 0 when there is none. The unit is up to the plugin, and the same for every offset.',
    args: { path: 'path' },
    stdin: 'nothing',
    stdout: 'position',
    capability: 'transcript_analyzer',
    called: 'When a turn starts and ends; `entire status`.',
  },
  'extract-modified-files': {
    purpose: 'Lists the files that the agent has changed since a position.',
    args: { path: 'path', offset: 'integer' },
    stdin: 'nothing',
    stdout: 'files',
    capability: 'transcript_analyzer',
    called: 'At the end of a turn and at a commit.',
  },
  'extract-prompts': {
    purpose: 'Returns the prompts since a position.',
    args: { 'session-ref': 'path', offset: 'integer' },
    stdin: 'nothing',
    stdout: 'prompts',
    capability: 'transcript_analyzer',
    called: 'At the end of a turn and at a commit.',
  },
  'extract-summary': {
    purpose: 'Returns the last message of the agent.',
    args: { 'session-ref': 'path' },
    stdin: 'nothing',
    stdout: 'summary',
    capability: 'transcript_analyzer',
    called: 'At the end of a turn and at a commit.',
  },
  'prepare-transcript': {
    purpose: 'Returns when the transcript is complete on disk.',
    args: { 'session-ref': 'path' },
    stdin: 'nothing',
    stdout: 'nothing',
    capability: 'transcript_preparer',
    called: 'Before a transcript is read.',
  },
  'calculate-tokens': {
    purpose: 'Counts the tokens used since a position.',
    args: { offset: 'integer' },
    stdin: 'bytes',
    stdout: 'tokens',
    capability: 'token_calculator',
    called: 'At the end of a turn and at a commit.',
  },
  'generate-text': {
    purpose: 'Answers a prompt.',
    args: { model: 'text' },
    stdin: 'bytes',
    stdout: 'text',
    capability: 'text_generator',
    called: 'When a summary is generated.',
  },
  'write-hook-response': {
    purpose: 'Prints a message in the form the agent expects from a hook.',
    args: { message: 'text' },
    stdin: 'nothing',
    stdout: 'bytes',
    capability: 'hook_response_writer',
    called: 'When a session starts; the bytes become the output of the hook.',
  },
  'extract-all-modified-files': {
    purpose: 'Lists the files that the agent and its subagents have changed since a position.',
    args: { offset: 'integer', 'subagents-dir': 'path' },
    stdin: 'bytes',
    stdout: 'all-files',
    capability: 'subagent_aware_extractor',
    called: 'At the end of a turn and of a subagent.',
  },
  'calculate-total-tokens': {
    purpose: 'Counts the tokens used by the agent and its subagents since a position.',
    args: { offset: 'integer', 'subagents-dir': 'path' },
    stdin: 'bytes',
    stdout: 'tokens',
    capability: 'subagent_aware_extractor',
    called: 'At the end of a turn and of a subagent.',
  },
  'compact-transcript': {
    purpose: 'Returns the transcript in the common short form.',
    args: { 'session-ref': 'path' },
    stdin: 'nothing',
    stdout: 'compact-transcript',
    capability: 'compact_transcript',
    called: 'When `entire explain` shows a conversation, for a copy of the stored transcript.',
  },
} as const satisfies Record<string, Subcommand>

export const subcommands = { ...mandatory, ...optional } as const

export type SubcommandName = keyof typeof subcommands

type ArgumentValue = { text: string; path: string; integer: number; switch: boolean }

/** The arguments of a subcommand, by flag without dashes. */
export type SubcommandArguments<Name extends SubcommandName> = {
  -readonly [Flag in keyof (typeof subcommands)[Name]['args']]: ArgumentValue[(typeof subcommands)[Name]['args'][Flag] &
    ArgumentKind]
}

type ContentValue<Content> = Content extends MessageName
  ? MessageInput[Content]
  : Content extends 'bytes'
    ? Uint8Array
    : undefined

/** The answer of a subcommand, as a plugin writes it. */
export type SubcommandAnswer<Name extends SubcommandName> = ContentValue<(typeof subcommands)[Name]['stdout']>

/** The standard input of a subcommand, as a caller writes it. */
export type SubcommandInput<Name extends SubcommandName> = ContentValue<(typeof subcommands)[Name]['stdin']>

export function isSubcommand(name: string): name is SubcommandName {
  return Object.hasOwn(subcommands, name)
}

export function findSubcommand(name: SubcommandName): Subcommand {
  return subcommands[name]
}

/** The command line of a call: arguments in the order of the table, a switch only where it is on. */
export function callArguments<Name extends SubcommandName>(
  name: Name,
  args: SubcommandArguments<Name>,
): string[] {
  const values = args as Record<string, string | number | boolean>
  const flags = Object.entries(findSubcommand(name).args).flatMap(([flag, kind]) => {
    if (kind === 'switch') return values[flag] === true ? [`--${flag}`] : []
    return [`--${flag}`, String(values[flag])]
  })
  return [name, ...flags]
}
