// Defines `piglet ext list` and `piglet ext info`, which show all extensions or one of them.

import { buildCommand } from '@stricli/core'
import { discoverExtensions } from '../../extensions/discover.ts'
import type { Registrations } from '../../extensions/live-extension.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { clean, cut, tableLines } from '../render/text.ts'
import { withHost } from './host.ts'
import { findExtension, findPigletPlaces, type PigletPlaces } from './places.ts'

interface InfoFlags {
  start: boolean
  json?: boolean
}

export const extInfoCommand = buildCommand<InfoFlags, [string], Cli>({
  async func(flags, name) {
    const manifest = findExtension(this, findPigletPlaces(this), name)
    const offers = flags.start
      ? await withHost(
          this,
          { ext: [name], quiet: true },
          async ({ host }) => host.find(manifest.name)?.registrations,
        )
      : undefined
    if (flags.json)
      return void this.process.stdout.write(
        formatJson({
          manifest: { ...manifest, permissions: manifest.permissions ?? null },
          offers: offers ?? null,
        }),
      )
    for (const line of [...tableLines(manifestRows(manifest)), ...(offers ? offerLines(offers) : [])])
      this.out(line)
  },
  parameters: {
    flags: {
      start: { kind: 'boolean', default: true, brief: 'Start it to see what it registers' },
      json: switchFlag('Print JSON'),
    },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Name of the extension, or its directory', parse: String, placeholder: 'extension' },
      ],
    },
  },
  docs: {
    brief: 'Show an extension, its permissions and registrations',
    fullDescription: formatManual({
      text: ['Reads the manifest of the extension, starts it alone, and lists its registrations.'],
      examples: [
        ['piglet ext info notes', 'an installed extension'],
        ['piglet ext info . --no-start', 'only its manifest'],
      ],
    }),
  },
})

function manifestRows({ name, version, runtime, entry, dir, transport, permissions }: Manifest): string[][] {
  const rows: [string, string][] = [
    ['name', name],
    ['version', version || '-'],
    ['runs', `${runtime} ${entry}`.trim()],
    ['directory', dir],
    ['transport', transport ?? 'chosen by the extension'],
    [
      'permissions',
      permissions === undefined
        ? 'not declared: everything except keys and secrets'
        : permissions.join(', ') || 'none',
    ],
  ]
  return rows.map(([label, text]) => [label, clean(text)])
}

const kinds: [keyof Registrations, string][] = [
  ['register/tool', 'Tools'],
  ['register/command', 'Commands'],
  ['register/shortcut', 'Keys'],
  ['register/promptSection', 'Parts of the prompt'],
  ['register/interceptor', 'Interceptors'],
  ['register/eventHandler', 'Event handlers'],
  ['register/messageHook', 'Message hooks'],
  ['register/inputTransformer', 'Input transformers'],
  ['register/compactor', 'Compactor'],
  ['register/provider', 'Models of'],
]

function offerLines(offers: Registrations): string[] {
  return kinds.flatMap(([kind, title]) => {
    const rows = offers[kind].map((one) => {
      const { name, key, title: heading, api, description, content, events } = one as Record<string, unknown>
      const detail = description ?? content ?? (Array.isArray(events) ? events.join(', ') : '')
      return [`  ${clean(String(name ?? key ?? heading ?? api))}`, cut(String(detail), 100)]
    })
    return rows.length === 0 ? [] : ['', `${title}:`, ...tableLines(rows)]
  })
}

type State = 'enabled' | 'disabled' | 'not trusted'

export interface ListedExtension {
  name: string
  version: string
  runtime: string
  state: State
  from: 'user' | 'project'
  dir: string
  permissions: string[] | null
}

export const extListCommand = buildCommand<{ json?: boolean }, [], Cli>({
  func({ json }) {
    const { extensions, problems } = listExtensions(findPigletPlaces(this))
    if (json) return void this.process.stdout.write(formatJson({ extensions, problems }))
    const rows = extensions.map(({ name, version, runtime, state, from, dir }) =>
      [name, version || '-', runtime, state, from, dir].map(clean),
    )
    if (rows.length > 0)
      for (const line of tableLines([['NAME', 'VERSION', 'RUNTIME', 'STATE', 'FROM', 'WHERE'], ...rows]))
        this.out(line)
    else
      this.note(
        `No extensions in ${clean(findPigletPlaces(this).userDir)}. Create one with \`piglet ext new <name>\`.`,
      )
    for (const problem of problems) this.note(`Note: ${clean(problem)}`)
    if (extensions.some(({ state }) => state === 'not trusted'))
      this.note('Note: Extensions of this project run only if you trust it: piglet ext trust --project')
  },
  parameters: { flags: { json: switchFlag('Print JSON') } },
  docs: {
    brief: 'List extensions',
    fullDescription: formatManual({
      text: [
        'Lists the extensions of the user in <config>/extensions and those of the project in .piglet/extensions, which run only if the',
        'project is trusted. Extensions in disabled_extensions of config.yaml do not run. Starts none of them.',
      ],
      examples: [
        ['piglet ext list', 'all extensions'],
        ["piglet ext list --json | jq '.extensions[].name'", 'for scripts'],
      ],
    }),
  },
})

function listExtensions(places: PigletPlaces): { extensions: ListedExtension[]; problems: string[] } {
  const running = new Set(discoverExtensions(places).extensions.map(({ dir }) => dir))
  const [user, project] = [
    discoverExtensions({ ...places, projectDir: undefined, disabled: [] }),
    discoverExtensions({ userDir: places.ofProject, projectDir: undefined, disabled: [] }),
  ]
  const describe =
    (from: 'user' | 'project') =>
    (manifest: Manifest): ListedExtension => ({
      name: manifest.name,
      version: manifest.version,
      runtime: manifest.runtime,
      state: running.has(manifest.dir)
        ? 'enabled'
        : from === 'project' && places.projectDir === undefined
          ? 'not trusted'
          : 'disabled',
      from,
      dir: manifest.dir,
      permissions: manifest.permissions ?? null,
    })
  return {
    extensions: [...user.extensions.map(describe('user')), ...project.extensions.map(describe('project'))],
    problems: [...user.problems, ...project.problems],
  }
}
