// `piglet ext list`: which extensions there are, and which of them run.
import { buildCommand } from '@stricli/core'
import { discoverExtensions } from '../../extensions/discover.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { formatJson } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { said } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { tableLines } from '../render/table.ts'
import { clean } from '../render/text.ts'
import { findPlaces, type PigletPlaces } from './places.ts'

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

export const listCommand = buildCommand<{ json?: boolean }, [], Cli>({
  func({ json }) {
    const { extensions, problems } = listExtensions(findPlaces(this))
    if (json) return void this.process.stdout.write(formatJson({ extensions, problems }))
    const rows = extensions.map(({ name, version, runtime, state, from, dir }) =>
      [name, version || '-', runtime, state, from, dir].map(clean),
    )
    if (rows.length > 0) for (const line of tableLines([['NAME', 'VERSION', 'RUNTIME', 'STATE', 'FROM', 'WHERE'], ...rows])) this.out(line)
    else this.note(`There are no extensions in ${clean(findPlaces(this).userDir)}. Begin one with \`piglet ext new <name>\`.`)
    for (const problem of problems) this.note(`Note: ${clean(problem)}`)
    if (extensions.some(({ state }) => state === 'not trusted'))
      this.note('Note: Extensions of this project do not run until you trust it: piglet ext trust --project')
  },
  parameters: { flags: { json: said('Print JSON') } },
  docs: {
    brief: 'List the extensions there are',
    fullDescription: formatManual({
      text: [
        'Extensions of the user are in <config>/extensions, those of a project in .piglet/extensions; the latter run when the project is',
        'trusted. What is named in disabled_extensions of config.yaml does not run. None is started for this list.',
      ],
      examples: [
        ['piglet ext list', 'at a glance'],
        ["piglet ext list --json | jq '.extensions[].name'", 'for scripts'],
      ],
    }),
  },
})

export function listExtensions(places: PigletPlaces): { extensions: ListedExtension[]; problems: string[] } {
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
      state: running.has(manifest.dir) ? 'enabled' : from === 'project' && places.projectDir === undefined ? 'not trusted' : 'disabled',
      from,
      dir: manifest.dir,
      permissions: manifest.permissions ?? null,
    })
  return {
    extensions: [...user.extensions.map(describe('user')), ...project.extensions.map(describe('project'))],
    problems: [...user.problems, ...project.problems],
  }
}
