// `piglet ext info`: what an extension is, may do, and offers.
import { buildCommand } from '@stricli/core'
import type { Registrations } from '../../extensions/live-extension.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { formatJson } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { said } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { tableLines } from '../render/table.ts'
import { clean, cut } from '../render/text.ts'
import { findExtension } from './find-extension.ts'
import { withHost } from './host.ts'
import { findPlaces } from './places.ts'

interface InfoFlags {
  start: boolean
  json?: boolean
}

export const infoCommand = buildCommand<InfoFlags, [string], Cli>({
  async func(flags, given) {
    const manifest = findExtension(this, findPlaces(this), given)
    const offers = flags.start
      ? await withHost(this, { ext: [given], quiet: true }, async ({ host }) => host.find(manifest.name)?.registrations)
      : undefined
    if (flags.json)
      return void this.process.stdout.write(
        formatJson({ manifest: { ...manifest, permissions: manifest.permissions ?? null }, offers: offers ?? null }),
      )
    for (const line of [...tableLines(manifestRows(manifest)), ...(offers ? offerLines(offers) : [])]) this.out(line)
  },
  parameters: {
    flags: {
      start: { kind: 'boolean', default: true, brief: 'Start it to see what it offers' },
      json: said('Print JSON'),
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name of the extension, or its directory', parse: String, placeholder: 'extension' }],
    },
  },
  docs: {
    brief: 'Show what an extension is, may do and offers',
    fullDescription: formatManual({
      text: ['Reads its manifest, starts it alone, and lists what it registers.'],
      examples: [
        ['piglet ext info notes', 'of an extension that is installed'],
        ['piglet ext info . --no-start', 'only what the manifest says'],
      ],
    }),
  },
})

function manifestRows({ name, version, runtime, entry, dir, transport, permissions }: Manifest): string[][] {
  const rows: [string, string][] = [
    ['name', name],
    ['version', version || '-'],
    ['runs', `${runtime} ${entry}`.trim()],
    ['where', dir],
    ['talks over', transport ?? 'whichever way it chooses'],
    ['permissions', permissions === undefined ? 'not declared: everything but keys and secrets' : permissions.join(', ') || 'none'],
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
