// Where extensions and their settings are.

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { discoverExtensions, type ExtensionPlaces } from '../../extensions/discover.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { readManifest } from '../../extensions/manifest.ts'
import { readPigletConfig } from '../../piglet/settings/config.ts'
import { createTrust } from '../../piglet/settings/trust.ts'
import { EntireError } from '../../std/errors.ts'
import { closest } from '../closest.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'

export interface PigletPlaces extends ExtensionPlaces {
  configDir: string
  /** Where extensions of the project would be, trusted or not. */
  ofProject: string
}

export function configDirOf({ env }: Pick<Cli, 'env'>): string {
  const base = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config')
  return join(base, 'piglet')
}

export function logFileOf(configDir: string): string {
  return join(configDir, 'debug.log')
}

export function findPigletPlaces(cli: Pick<Cli, 'cwd' | 'env'>): PigletPlaces {
  const configDir = configDirOf(cli)
  const ofProject = join(cli.cwd, '.piglet', 'extensions')
  return {
    configDir,
    userDir: join(configDir, 'extensions'),
    ofProject,
    projectDir: createTrust(configDir).trustsProject(cli.cwd) ? ofProject : undefined,
    disabled: readPigletConfig(configDir).texts('disabled_extensions'),
  }
}

// Extensions as people name them: by name, or by the directory they are working on.

/** A name wins over a directory of the same name, unless it is written as a path. */
export function findExtension(cli: Cli, places: PigletPlaces, given: string): Manifest {
  const everything = { ...places, projectDir: places.projectDir, disabled: [] }
  const { extensions } = discoverExtensions(everything)
  const named = /[/\\]|^\.{1,2}$/.test(given) ? undefined : extensions.find(({ name }) => name === given)
  const found = named ?? readManifest(resolve(cli.cwd, given))
  if (found) return found
  const near = closest(
    given,
    extensions.map(({ name }) => name),
  )
  throw new EntireError('not-found', `There is no extension ${clean(given)}.`, {
    hint:
      near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : 'Run `piglet ext list` to see them, or name the directory of one.',
  })
}
