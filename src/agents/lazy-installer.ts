// Hooks must start fast and never install anything, so the code that edits config files is loaded on first use only.
import type { HookInstaller } from '../model/agent.ts'

export function lazyInstaller(configPath: string, load: () => Promise<HookInstaller>): HookInstaller {
  return {
    configPath,
    install: async (site, options) => (await load()).install(site, options),
    uninstall: async (site) => (await load()).uninstall(site),
    installed: async (site) => (await load()).installed(site),
    current: async (site, options) => (await load()).current(site, options),
  }
}
