// An extension may take the place of what is there already; one that lists its permissions only when that is one of them.
import type { LiveExtension, Registrations } from './live-extension.ts'
import { isListed } from './permissions.ts'
import { manifestName } from './read-manifest.ts'
import type { Registry } from './registry.ts'

export function overrideProblems(
  registry: Registry,
  { manifest, registrations }: LiveExtension,
): { kept: Registrations; problems: string[] } {
  const { name, permissions, dir } = manifest
  if (permissions === undefined || isListed(permissions, 'tools:override')) return { kept: registrations, problems: [] }
  const problems: string[] = []
  const isFree = (owner: string | undefined, what: string) => {
    if (owner === undefined || owner === name) return true
    problems.push(`${dir}/${manifestName}: ${what} is of ${owner} already, and permissions do not list tools:override.`)
    return false
  }
  const [tools, commands, shortcuts] = [registry.tools(), registry.commands(), registry.shortcuts()]
  const kept: Registrations = {
    ...registrations,
    'register/tool': registrations['register/tool'].filter((tool) => isFree(tools.get(tool.name)?.owner, `tool ${tool.name}`)),
    'register/command': registrations['register/command'].filter((one) => isFree(commands.get(one.name)?.owner, `command ${one.name}`)),
    'register/shortcut': registrations['register/shortcut'].filter((one) => isFree(shortcuts.get(one.key)?.owner, `key ${one.key}`)),
  }
  return { kept, problems }
}
