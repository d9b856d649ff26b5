// The environment of an extension: what any program needs to run, and what it was allowed to have. Keys and tokens are not in it.
import type { Manifest } from './manifest.ts'

const harmless =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|TEMP|TMP|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|XDG_.*|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|PIGLET_.*|SYSTEMROOT|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|PROGRAMFILES)$/i
const secret = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i

export type Environment = Record<string, string | undefined>

/** `granted`: further variables that the user let it have. */
export function extensionEnvironment(
  env: Environment,
  manifest: Manifest,
  session: string | undefined,
  granted: string[] = [],
): Environment {
  const declared = (manifest.permissions ?? []).flatMap((permission) => (permission.startsWith('env:') ? [permission.slice(4)] : []))
  const allowed = new Set([...declared, ...granted])
  const kept = Object.entries(env).filter(([name]) => allowed.has(name) || (harmless.test(name) && !secret.test(name)))
  // The sign that descriptors 3 and 4 are there, which would mislead one who wants the other way.
  const descriptors = manifest.transport === 'stdio' ? {} : { PIGLET_FD: '1' }
  return {
    ...Object.fromEntries(kept.filter(([name]) => name !== 'PIGLET_FD')),
    ...descriptors,
    ...(session === undefined ? {} : { PIGLET_SESSION_ID: session }),
  }
}
