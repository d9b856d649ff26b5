// Where extensions and their settings are.
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Places } from '../../extensions/discover.ts'
import { readConfig } from '../../extensions/headless/settings/config.ts'
import { createTrust } from '../../extensions/headless/settings/trust.ts'
import type { Cli } from '../context.ts'

export interface PigletPlaces extends Places {
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

export function findPlaces(cli: Pick<Cli, 'cwd' | 'env'>): PigletPlaces {
  const configDir = configDirOf(cli)
  const ofProject = join(cli.cwd, '.piglet', 'extensions')
  return {
    configDir,
    userDir: join(configDir, 'extensions'),
    ofProject,
    projectDir: createTrust(configDir).trustsProject(cli.cwd) ? ofProject : undefined,
    disabled: readConfig(configDir).texts('disabled_extensions'),
  }
}
