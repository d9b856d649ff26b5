// What the user trusts: extensions with keys and secrets, and projects with the extensions they bring along.

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

export type Trust = ReturnType<typeof createTrust>

/** Kept in `<config>/trust.json`, read anew each time. */
export function createTrust(configDir: string) {
  const path = join(configDir, 'trust.json')
  const read = () => readTrusted(path)
  const granted = (extension: string): string[] => {
    const { extensions } = read()
    return Object.hasOwn(extensions, extension) ? (extensions[extension] ?? []) : []
  }
  const write = (change: (trusted: Trusted) => Trusted) =>
    writeAtomic(path, formatJson(change(read())), { mode: 0o600 })
  return {
    path,
    /** `what` is like `auth:openai` or `env:GITHUB_TOKEN`; the part before the colon alone stands for all of them. */
    allows: (extension: string, what: string) => isListed(granted(extension), what),
    grants: granted,
    grant(extension: string, what: string[]): void {
      const all = [...new Set([...granted(extension), ...what])].sort()
      write(({ extensions, projects }) => ({ extensions: { ...extensions, [extension]: all }, projects }))
    },
    revoke(extension: string): void {
      write(({ extensions: { [extension]: _gone, ...extensions }, projects }) => ({ extensions, projects }))
    },
    /** Variables of the environment that the user let it have. */
    variables: (extension: Manifest): string[] =>
      granted(trustedAs(configDir, extension)).flatMap((what) =>
        what.startsWith('env:') ? [what.slice(4)] : [],
      ),
    trustsProject: (dir: string) => read().projects.includes(realDir(dir)),
    trustProject(dir: string): void {
      write(({ extensions, projects }) => ({
        extensions,
        projects: [...new Set([...projects, realDir(dir)])].sort(),
      }))
    },
    distrustProject(dir: string): void {
      write(({ extensions, projects }) => ({
        extensions,
        projects: projects.filter((project) => project !== realDir(dir)),
      }))
    },
  }
}

function readTrusted(path: string): Trusted {
  const text = readText(path)
  if (text === undefined) return { extensions: {}, projects: [] }
  const stored = asObject(parseJson(text))
  // Trusting nobody would be safe, but writing that down would lose what the user said.
  if (!stored) throw new EntireError('bad-settings', `${path} is no JSON object.`)
  const extensions = Object.entries(asObject(stored.extensions) ?? {}).map(([name, list]) => [
    name,
    asStrings(list),
  ])
  return { extensions: Object.fromEntries(extensions), projects: asStrings(stored.projects) }
}

/** What an extension is trusted by. Only one in the user's own directory goes by its name: others can be called whatever they like. */
export function trustedAs(configDir: string, { name, dir }: Manifest): string {
  const isUsers = realDir(dirname(dir)) === realDir(join(configDir, 'extensions'))
  return isUsers ? name : `${name} in ${realDir(dir)}`
}

function realDir(dir: string): string {
  return exists(dir) ? realpathSync(dir) : dir
}
