// Finds the directories of extensions and their settings, and an extension by name or directory.

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { discoverExtensions, type ExtensionPlaces } from '../../extensions/discover.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { readManifest } from '../../extensions/manifest.ts'
import { readPigletConfig } from '../../piglet/settings/config.ts'
import { Trust } from '../../piglet/settings/trust.ts'
import { didYouMean, notFound } from '../../std/errors.ts'
import { closest } from '../closest.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'

export interface PigletPlaces extends ExtensionPlaces {
  configDir: string
  /** Directory for the extensions of the project, trusted or not. */
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
    projectDir: new Trust(configDir).trustsProject(cli.cwd) ? ofProject : undefined,
    disabled: readPigletConfig(configDir).texts('disabled_extensions'),
  }
}

/** A name takes precedence over a directory of the same name, unless it is written as a path. */
export function findExtension(cli: Cli, places: PigletPlaces, nameOrDir: string): Manifest {
  const { extensions } = discoverExtensions({ ...places, disabled: [] })
  const isPath = /[/\\]|^\.{1,2}$/.test(nameOrDir)
  const named = isPath ? undefined : extensions.find(({ name }) => name === nameOrDir)
  const found = named ?? readManifest(resolve(cli.cwd, nameOrDir))
  if (found) return found
  const names = extensions.map(({ name }) => name)
  const near = closest(nameOrDir, names)
  throw notFound(
    'extension',
    clean(nameOrDir),
    near.length > 0
      ? didYouMean(near)
      : '`piglet ext list` shows the extensions. You can also name a directory.',
  )
}
