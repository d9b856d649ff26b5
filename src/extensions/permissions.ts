// What an extension may ask for. A manifest that lists permissions gets those and no others; one that does not may do what extensions
// always could, except for keys, which the user has to grant.

import { capabilities, type Method } from '../protocol/extension/method.ts'
import { asObject, asString } from '../std/json.ts'
import type { LiveExtension, Registrations } from './live-extension.ts'
import type { Manifest } from './manifest.ts'
import { manifestName } from './manifest.ts'
import type { Registry } from './registry.ts'

export type Approve = (extension: Manifest, what: string) => Promise<boolean>

/** Why the extension may not, if it may not. `params` tell which key it asks for. */
export function findRefusal(
  manifest: Manifest,
  name: string,
  { capability }: Method,
  params: unknown,
): string | undefined {
  if (capability === undefined || manifest.permissions === undefined) return undefined
  const needed = capability === 'auth' ? keyOf(params) : capability
  if (isListed(manifest.permissions, needed)) return undefined
  return `${name} refused: ${manifest.name} lists permissions in its ${manifestName}, and ${needed} (${capabilities[capability]}) is not one of them`
}

/** The same for what only the user can grant. */
export async function findDenial(
  manifest: Manifest,
  name: string,
  { capability }: Method,
  params: unknown,
  approve: Approve,
) {
  if (capability !== 'auth' || manifest.permissions !== undefined || (await approve(manifest, keyOf(params))))
    return undefined
  return `${name} refused: the user has not let ${manifest.name} have ${keyOf(params)}. Run \`piglet ext trust ${manifest.name}\`, or list it under permissions in its ${manifestName}`
}

function keyOf(params: unknown): string {
  return `auth:${asString(asObject(params)?.provider) ?? ''}`
}

/** The part before the colon alone stands for everything of that kind. */
export function isListed(permissions: string[], needed: string): boolean {
  return permissions.some(
    (permission) => permission === needed || permission === '*' || needed.startsWith(`${permission}:`),
  )
}

/** Those that nobody knows, and that permit nothing therefore. */
export function unknownPermissions({ permissions = [] }: Manifest): string[] {
  const names = Object.keys(capabilities)
  const isKnown = (permission: string) =>
    permission === '*' ||
    /^(?:auth|env):./.test(permission) ||
    names.some((name) => name === permission || name.startsWith(`${permission}:`))
  return permissions.filter((permission) => !isKnown(permission))
}

// An extension may take the place of what is there already; one that lists its permissions only when that is one of them.

export function overrideProblems(
  registry: Registry,
  { manifest, registrations }: LiveExtension,
): { kept: Registrations; problems: string[] } {
  const { name, permissions, dir } = manifest
  if (permissions === undefined || isListed(permissions, 'tools:override'))
    return { kept: registrations, problems: [] }
  const problems: string[] = []
  const isFree = (owner: string | undefined, what: string) => {
    if (owner === undefined || owner === name) return true
    problems.push(
      `${dir}/${manifestName}: ${what} is of ${owner} already, and permissions do not list tools:override.`,
    )
    return false
  }
  const [tools, commands, shortcuts] = [registry.tools(), registry.commands(), registry.shortcuts()]
  const kept: Registrations = {
    ...registrations,
    'register/tool': registrations['register/tool'].filter((tool) =>
      isFree(tools.get(tool.name)?.owner, `tool ${tool.name}`),
    ),
    'register/command': registrations['register/command'].filter((one) =>
      isFree(commands.get(one.name)?.owner, `command ${one.name}`),
    ),
    'register/shortcut': registrations['register/shortcut'].filter((one) =>
      isFree(shortcuts.get(one.key)?.owner, `key ${one.key}`),
    ),
  }
  return { kept, problems }
}
