// Decides what an extension may ask of the host. A manifest that lists permissions gets those and no others;
// without a list an extension may do everything except read keys, which the user has to grant.

import { type Method, permissionMeanings } from '../protocol/extension/method.ts'
import { asObject, asString } from '../std/json.ts'
import type { LiveExtension, Registrations } from './live-extension.ts'
import { type Manifest, manifestName } from './manifest.ts'
import type { Registry } from './registry.ts'

/** Asks the user; `what` is a permission such as `auth:openai`. */
export type Approve = (extension: Manifest, what: string) => Promise<boolean>

/** The reason why the manifest does not permit a method, if it does not. */
export function findRefusal(
  manifest: Manifest,
  name: string,
  { permission }: Method,
  params: unknown,
): string | undefined {
  if (permission === undefined || manifest.permissions === undefined) return undefined
  const needed = permission === 'auth' ? keyPermission(params) : permission
  if (isListed(manifest.permissions, needed)) return undefined
  return `${name} refused: ${manifest.name} lists permissions in its ${manifestName}, and ${needed} (${permissionMeanings[permission]}) is not one of them`
}

export interface MethodUse {
  manifest: Manifest
  name: string
  method: Method
  params: unknown
}

/** The reason why the user does not permit a method, if the user has to and does not. */
export async function findDenial(
  { manifest, name, method, params }: MethodUse,
  approve: Approve,
): Promise<string | undefined> {
  if (method.permission !== 'auth' || manifest.permissions !== undefined) return undefined
  const key = keyPermission(params)
  if (await approve(manifest, key)) return undefined
  return `${name} refused: the user has not let ${manifest.name} have ${key}. Run \`piglet ext trust ${manifest.name}\`, or list it under permissions in its ${manifestName}`
}

function keyPermission(params: unknown): string {
  return `auth:${asString(asObject(params)?.provider) ?? ''}`
}

/** A permission without its part after the colon covers all of that kind. */
export function isListed(permissions: string[], needed: string): boolean {
  return permissions.some(
    (permission) => permission === needed || permission === '*' || needed.startsWith(`${permission}:`),
  )
}

/** Permissions that do not exist, and therefore permit nothing. */
export function unknownPermissions({ permissions = [] }: Manifest): string[] {
  const names = Object.keys(permissionMeanings)
  const isKnown = (permission: string) =>
    permission === '*' ||
    /^(?:auth|env):./.test(permission) ||
    names.some((name) => name === permission || name.startsWith(`${permission}:`))
  return permissions.filter((permission) => !isKnown(permission))
}

/**
 * Drops registrations that would replace an offer of another owner, unless the manifest lists no permissions
 * or lists `tools:override`.
 */
export function withoutOverrides(
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
      `${dir}/${manifestName}: ${what} belongs to ${owner} already, and permissions do not list tools:override.`,
    )
    return false
  }
  const [tools, commands, shortcuts] = [registry.tools(), registry.commands(), registry.shortcuts()]
  const kept: Registrations = {
    ...registrations,
    'register/tool': registrations['register/tool'].filter((tool) =>
      isFree(tools.get(tool.name)?.owner, `tool ${tool.name}`),
    ),
    'register/command': registrations['register/command'].filter((command) =>
      isFree(commands.get(command.name)?.owner, `command ${command.name}`),
    ),
    'register/shortcut': registrations['register/shortcut'].filter((shortcut) =>
      isFree(shortcuts.get(shortcut.key)?.owner, `key ${shortcut.key}`),
    ),
  }
  return { kept, problems }
}
