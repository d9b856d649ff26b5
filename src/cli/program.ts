// How this program is called again by the hooks it installs.
import type { Settings } from '../model/settings.ts'

export function programPath(): string {
  return isCompiled() ? process.execPath : Bun.main
}

/** A name to look up in PATH, so that hooks survive an update, unless the user wants the absolute path. */
export function hookCommand(settings: Pick<Settings, 'absoluteHookPath'>, program: string): string {
  return settings.absoluteHookPath ? program : 'entire'
}

// A compiled program's modules live in a file system of its own. https://bun.com/docs/bundler/executables
function isCompiled(): boolean {
  return /^(\/\$bunfs|[A-Z]:[\\/]~BUN)/.test(Bun.main)
}
