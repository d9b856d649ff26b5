// Hooks that a plugin installs itself. What it says is believed only where it can be asked again.
import type { HookInstaller } from '../../model/agent.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { ask, type Plugin } from './call.ts'
import { forgetHooks, noteHooks } from './hook-note.ts'

export function pluginInstaller(plugin: Plugin, agent: { type: string; protectedDirs: string[] }): HookInstaller {
  const installed = async () => (await ask(plugin, 'are-hooks-installed', {})).installed
  return {
    configPath: plugin.path,
    async install(site, { force }) {
      const { hooks_installed: added } = await ask(plugin, 'install-hooks', { 'local-dev': false, force })
      noteHooks(site, { name: plugin.name, type: agent.type, path: plugin.path, dirs: agent.protectedDirs })
      return added
    },
    async uninstall(site) {
      const problem = await ask(plugin, 'uninstall-hooks', {})
        .then(installed)
        .then((isThere) => (isThere ? `entire-agent-${plugin.name} says that its hooks are still there.` : undefined), messageOf)
      if (problem === undefined) return forgetHooks(site, plugin.name)
      throw new EntireError('agent-failed', problem, {
        hint: `Its hooks may still be installed. By hand: \`${plugin.path} uninstall-hooks\`.`,
      })
    },
    installed,
    // Only the plugin knows what its hooks should look like.
    current: async () => true,
  }
}
