// Droid reads the hooks of settings.json only where no hooks.json lies beside it, and none at all where they are switched off.
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Env, Obstacle } from '../../model/agent.ts'
import { readText } from '../../std/file.ts'

const hookFiles = ['.factory/hooks.json', '.factory/hooks/hooks.json']
const settingsFiles = ['.factory/settings.json', '.factory/settings.local.json']

export function findObstacle(root: string, env: Env): Obstacle | undefined {
  const other = hookFiles.find((file) => readText(join(root, file))?.includes('hooks factoryai-droid ') === false)
  if (other !== undefined)
    return {
      message: `Droid reads its hooks from ${other} alone, and ours are in .factory/settings.json.`,
      fix: `Move the hooks of ${other} into "hooks" of .factory/settings.json and delete the file.`,
    }
  const user = join(env.FACTORY_HOME_OVERRIDE || env.HOME || homedir(), '.factory', 'settings.json')
  const switchedOff = [...settingsFiles.map((file) => join(root, file)), user].find((file) =>
    /"hooksDisabled"\s*:\s*true/.test(readText(file) ?? ''),
  )
  return switchedOff === undefined
    ? undefined
    : { message: `Droid's hooks are switched off in ${switchedOff}.`, fix: 'Remove "hooksDisabled" there.' }
}
