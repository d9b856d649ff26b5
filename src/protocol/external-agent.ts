// The external agent protocol: every subcommand once. The client, the kit for authors, the conformance check and the reference are made
// from this table. It loads no schema; `external-messages.ts` has those by name.
import { mandatory } from './external-mandatory.ts'
import type { MessageInput, MessageName } from './external-messages.ts'
import { optional } from './external-optional.ts'
import type { ArgumentKind, Subcommand } from './external-subcommand.ts'

export const subcommands = { ...mandatory, ...optional } as const

export type SubcommandName = keyof typeof subcommands

type ArgumentValue = { text: string; path: string; integer: number; switch: boolean }

/** The arguments of a subcommand, by flag without dashes. */
export type Arguments<Name extends SubcommandName> = {
  -readonly [Flag in keyof (typeof subcommands)[Name]['args']]: ArgumentValue[(typeof subcommands)[Name]['args'][Flag] & ArgumentKind]
}

type ContentValue<Content> = Content extends MessageName ? MessageInput[Content] : Content extends 'bytes' ? Uint8Array : undefined

/** What a subcommand answers, as a plugin writes it. */
export type Answer<Name extends SubcommandName> = ContentValue<(typeof subcommands)[Name]['stdout']>

/** What a subcommand is sent, as a caller writes it. */
export type Input<Name extends SubcommandName> = ContentValue<(typeof subcommands)[Name]['stdin']>

export function isSubcommand(name: string): name is SubcommandName {
  return Object.hasOwn(subcommands, name)
}

export function findSubcommand(name: SubcommandName): Subcommand {
  return subcommands[name]
}

/** The command line of a call: arguments in the order of the table, a switch only where it is on. */
export function callArguments<Name extends SubcommandName>(name: Name, args: Arguments<Name>): string[] {
  const values = args as Record<string, string | number | boolean>
  const flags = Object.entries(findSubcommand(name).args).flatMap(([flag, kind]) => {
    if (kind === 'switch') return values[flag] === true ? [`--${flag}`] : []
    return [`--${flag}`, String(values[flag])]
  })
  return [name, ...flags]
}
