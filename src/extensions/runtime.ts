// Runs the programs of extensions: the command for each runtime, and the environment they get.

import { accessSync, constants } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Environment } from '../std/environment.ts'
import { EntireError } from '../std/errors.ts'
import { exists } from '../std/file.ts'
import { given } from '../std/given.ts'
import type { Manifest } from './manifest.ts'
import { manifestName } from './manifest.ts'

/** Runtimes found on the PATH. Any other runtime is the path of a program. */
const runtimes: Record<string, (entry: string) => string[]> = {
  bun: (entry) => ['bun', 'run', entry],
  node: (entry) => ['node', entry],
  deno: (entry) => ['deno', 'run', '--allow-all', entry],
  python: (entry) => ['python3', entry],
}

export function isScript({ runtime }: Manifest): boolean {
  return Object.hasOwn(runtimes, runtime)
}

export function runtimeCommand(manifest: Manifest): string[] {
  const { runtime, entry, dir } = manifest
  const script = runtimes[isScript(manifest) ? runtime : '']
  if (script) return script(join(dir, entry))
  return [programOf(manifest), ...(entry === '' ? [] : [join(dir, entry)])]
}

/** Throws when the manifest names files that do not exist or cannot be run. */
export function checkRuntime(manifest: Manifest): void {
  const { runtime, entry, dir } = manifest
  const place = join(dir, manifestName)
  if (isScript(manifest) && entry === '')
    throw cannotRun(`${place}: entry is required for runtime ${runtime}.`)
  if (entry !== '' && !exists(join(dir, entry))) throw cannotRun(`${place}: entry ${entry} does not exist.`)
  if (isScript(manifest)) return
  const program = programOf(manifest)
  if (!exists(program))
    throw cannotRun(
      `${place}: runtime ${runtime} is not one of ${Object.keys(runtimes).join(', ')}, and there is no program ${program}.`,
    )
  try {
    accessSync(program, constants.X_OK)
  } catch {
    throw cannotRun(`${place}: runtime ${runtime}: ${program} is not executable.`)
  }
}

/** The error for what shows only when the program is started, such as a runtime that is not installed. */
export function cannotStart(manifest: Manifest, why: string): EntireError {
  const [program] = runtimeCommand(manifest)
  return cannotRun(
    `${join(manifest.dir, manifestName)}: runtime ${manifest.runtime}: ${program} cannot be started (${why}).`,
  )
}

function programOf({ runtime, dir }: Manifest): string {
  return isAbsolute(runtime) ? runtime : join(dir, runtime)
}

function cannotRun(message: string): EntireError {
  return new EntireError('not-found', message, {
    hint: 'Correct the manifest, build the extension, or install what it runs on.',
  })
}

const harmless =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|TEMP|TMP|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|XDG_.*|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|PIGLET_.*|SYSTEMROOT|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|PROGRAMFILES)$/i
const secret = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i

/**
 * What any program needs to run, and what the manifest (`env:NAME`) or the user grants. No other keys or
 * tokens.
 */
export function extensionEnvironment(
  env: Environment,
  manifest: Manifest,
  session: string | undefined,
  granted: string[] = [],
): Environment {
  const declared = (manifest.permissions ?? []).flatMap((permission) =>
    permission.startsWith('env:') ? [permission.slice(4)] : [],
  )
  const allowed = new Set([...declared, ...granted])
  const kept = Object.entries(env).filter(
    ([name]) => allowed.has(name) || (harmless.test(name) && !secret.test(name)),
  )
  // Tells the extension that descriptors 3 and 4 are open; not set when it wants standard input and output.
  const descriptors = manifest.transport === 'stdio' ? {} : { PIGLET_FD: '1' }
  return {
    ...Object.fromEntries(kept.filter(([name]) => name !== 'PIGLET_FD')),
    ...descriptors,
    ...given({ PIGLET_SESSION_ID: session }),
  }
}
