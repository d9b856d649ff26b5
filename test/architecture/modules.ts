// Reads every source file and its imports, so that the shape of the whole can be tested.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export interface Import {
  specifier: string
  /** `type` costs nothing at run time, `lazy` only when it is reached. */
  kind: 'value' | 'type' | 'lazy'
  /** Path from the root of the project; undefined for packages. */
  target: string | undefined
  exists: boolean
}

export interface SourceModule {
  path: string
  text: string
  imports: Import[]
}

const root = join(import.meta.dir, '../..')

export function readModules(folders: string[]): SourceModule[] {
  const glob = new Bun.Glob(`{${folders.join(',')}}/**/*.ts`)
  const paths = [...glob.scanSync({ cwd: root })].filter((path) => !isForeign(path))
  return paths.sort().map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, text, imports: parseImports(path, text) }
  })
}

// Plugins that run inside other agents follow the rules of those agents.
function isForeign(path: string): boolean {
  return /^test\/fixtures\/|\/node_modules\/|^src\/agents\/[^/]+\/(?:plugin|extension)\//.test(path)
}

function parseImports(path: string, text: string): Import[] {
  const statements = [
    ...text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[\w*{][^'"`]*?\sfrom\s+)?'([^'\n]+)'/gm),
  ]
  const calls = [...text.matchAll(/\bimport\(\s*'([^'\n]+)'/g)]
  return [
    ...statements.map(([, type, specifier = '']) =>
      describe(path, specifier, type === undefined ? 'value' : 'type'),
    ),
    ...calls.map(([, specifier = '']) => describe(path, specifier, 'lazy')),
  ]
}

function describe(from: string, specifier: string, kind: Import['kind']): Import {
  if (!specifier.startsWith('.')) return { specifier, kind, target: undefined, exists: true }
  const target = normalize(join(dirname(from), specifier))
  return { specifier, kind, target, exists: /\.\w+$/.test(target) && existsSync(join(root, target)) }
}

/** Calls that load a module whose name cannot be read from the text, so that no rule sees it. */
export function hiddenImports(text: string): string[] {
  const calls = text.matchAll(/(?<![\w.])(?:require\(|import\((?!\s*')).{0,40}/g)
  return [...calls].map(([call]) => call.trim())
}

/** Modules loaded together with one of them, without what is imported lazily or for its types. */
export function staticallyReachable(modules: SourceModule[], entry: string): SourceModule[] {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const reached = new Set<SourceModule>()
  const visit = (path: string) => {
    const module = byPath.get(path)
    if (module === undefined || reached.has(module)) return
    reached.add(module)
    for (const { kind, target } of module.imports) if (kind === 'value' && target !== undefined) visit(target)
  }
  visit(entry)
  return [...reached]
}

/**
 * The paths of one import cycle, or undefined when there is none. Imports of types count: they tie files
 * together all the same.
 */
export function findCycle(modules: SourceModule[]): string[] | undefined {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const finished = new Set<string>()
  const visit = (path: string, trail: string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (finished.has(path)) return undefined
    for (const { target } of byPath.get(path)?.imports ?? []) {
      const cycle = target === undefined ? undefined : visit(target, [...trail, path])
      if (cycle) return cycle
    }
    finished.add(path)
    return undefined
  }
  for (const { path } of modules) {
    const cycle = visit(path, [])
    if (cycle) return cycle
  }
  return undefined
}
