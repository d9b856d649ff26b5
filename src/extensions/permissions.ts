// What an extension may ask for. A manifest that lists permissions gets those and no others; one that does not may do what extensions
// always could, except for keys, which the user has to grant.
import { codes } from '../protocol/extension-line.ts'
import { capabilities, type Method } from '../protocol/extension-method.ts'
import { RpcFailure } from '../protocol/extension-peer.ts'
import { asObject, asString } from '../std/json.ts'
import type { Manifest } from './manifest.ts'
import { manifestName } from './read-manifest.ts'

export type Approve = (extension: string, what: string) => Promise<boolean>

/** Throws when the extension may not. `params` tell which key it asks for. */
export async function checkPermission(manifest: Manifest, name: string, method: Method, params: unknown, approve: Approve): Promise<void> {
  const { capability } = method
  if (capability === undefined) return
  const needed = capability === 'auth' ? `auth:${asString(asObject(params)?.provider) ?? ''}` : capability
  if (manifest.permissions === undefined) {
    if (capability !== 'auth' || (await approve(manifest.name, needed))) return
    throw new RpcFailure(
      codes.failed,
      `${name} refused: the user has not let ${manifest.name} have ${needed}. Run \`piglet ext trust ${manifest.name}\`, or list it under permissions in its ${manifestName}`,
    )
  }
  if (isListed(manifest.permissions, needed)) return
  throw new RpcFailure(
    codes.failed,
    `${name} refused: ${manifest.name} lists permissions in its ${manifestName}, and ${needed} (${capabilities[capability]}) is not one of them`,
  )
}

/** The part before the colon alone stands for everything of that kind. */
export function isListed(permissions: string[], needed: string): boolean {
  return permissions.some((permission) => permission === needed || permission === '*' || needed.startsWith(`${permission}:`))
}
