// Remembers what the user trusts: extensions with keys and secrets, and projects with their extensions.

import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Manifest } from '../../extensions/manifest.ts'
import { isListed } from '../../extensions/permissions.ts'
import { EntireError } from '../../std/errors.ts'
import { exists, readText, writeAtomic } from '../../std/file.ts'
import { asObject, asStrings, formatJson, parseJson } from '../../std/json.ts'

interface Trusted {
  extensions: Record<string, string[]>
  projects: string[]
}

/** Kept in `<config>/trust.json`, and read each time. */
export class Trust {
  readonly path: string
  readonly #configDir: string

  constructor(configDir: string) {
    this.#configDir = configDir
    this.path = join(configDir, 'trust.json')
  }

  /**
   * `what` is like `auth:openai` or `env:GITHUB_TOKEN`; a grant of `auth` or `env` covers all of that kind.
   */
  allows(extension: string, what: string): boolean {
    return isListed(this.grants(extension), what)
  }

  grants(extension: string): string[] {
    const { extensions } = readTrusted(this.path)
    return Object.hasOwn(extensions, extension) ? (extensions[extension] ?? []) : []
  }

  grant(extension: string, what: string[]): void {
    const all = [...new Set([...this.grants(extension), ...what])].sort()
    this.#change(({ extensions, projects }) => ({
      extensions: { ...extensions, [extension]: all },
      projects,
    }))
  }

  revoke(extension: string): void {
    this.#change(({ extensions: { [extension]: _revoked, ...extensions }, projects }) => ({
      extensions,
      projects,
    }))
  }

  /** Environment variables that the user granted to an extension. */
  variables(extension: Manifest): string[] {
    return this.grants(trustedAs(this.#configDir, extension)).flatMap((what) =>
      what.startsWith('env:') ? [what.slice(4)] : [],
    )
  }

  trustsProject(dir: string): boolean {
    return readTrusted(this.path).projects.includes(realDir(dir))
  }

  trustProject(dir: string): void {
    this.#change(({ extensions, projects }) => ({
      extensions,
      projects: [...new Set([...projects, realDir(dir)])].sort(),
    }))
  }

  distrustProject(dir: string): void {
    this.#change(({ extensions, projects }) => ({
      extensions,
      projects: projects.filter((project) => project !== realDir(dir)),
    }))
  }

  #change(change: (trusted: Trusted) => Trusted): void {
    writeAtomic(this.path, formatJson(change(readTrusted(this.path))), { mode: 0o600 })
  }
}

function readTrusted(path: string): Trusted {
  const text = readText(path)
  if (text === undefined) return { extensions: {}, projects: [] }
  const stored = asObject(parseJson(text))
  // Treating it as empty would be safe, but the next change would overwrite what the user granted.
  if (!stored) throw new EntireError('bad-settings', `${path} is not a JSON object.`)
  const extensions = Object.entries(asObject(stored.extensions) ?? {}).map(([name, list]) => [
    name,
    asStrings(list),
  ])
  return { extensions: Object.fromEntries(extensions), projects: asStrings(stored.projects) }
}

/**
 * The name under which grants are kept. Only an extension in the user's directory has its plain name:
 * elsewhere any extension could take the name of another.
 */
export function trustedAs(configDir: string, { name, dir }: Manifest): string {
  const isUserExtension = realDir(dirname(dir)) === realDir(join(configDir, 'extensions'))
  return isUserExtension ? name : `${name} in ${realDir(dir)}`
}

function realDir(dir: string): string {
  return exists(dir) ? realpathSync(dir) : dir
}
