// Checks the shape of the source: which folder may use which, and the habits that keep a file easy to find
// and to read.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  findCycle,
  hiddenImports,
  readModules,
  type SourceModule,
  staticallyReachable,
} from './architecture/modules.ts'

// Which folders a folder builds on, directly. An import may point to any folder that these arrows lead to,
// and to no other. A new folder below src/ needs a line here and one in docs/architecture.md.
const arrows: Record<string, string[]> = {
  std: [],
  model: ['std'],
  git: ['model'],
  protocol: ['model'],
  redact: ['model'],
  settings: ['model'],
  agents: ['protocol'],
  extensions: ['protocol'],
  piglet: ['extensions'],
  sdk: ['piglet'],
  checkpoints: ['git', 'redact'],
  sessions: ['checkpoints', 'settings'],
  sync: ['sessions'],
  commits: ['sync'],
  recording: ['commits'],
  resume: ['sync'],
  rewind: ['resume'],
  attach: ['resume', 'commits'],
  cleanup: ['recording'],
  watch: ['recording'],
  cli: ['agents', 'sdk', 'rewind', 'attach', 'cleanup', 'watch'],
  bin: ['cli'],
}

/** The folder itself and every folder below it. */
function reachableFolders(folder: string): Set<string> {
  const below = (arrows[folder] ?? []).flatMap((next) => [...reachableFolders(next)])
  return new Set([folder, ...below])
}

const modules = readModules(['src', 'scripts', 'test'])
const source = modules.filter((module) => module.path.startsWith('src/'))
const product = source.filter((module) => !module.path.endsWith('.test.ts'))
const written = product.filter((module) => !module.path.endsWith('.generated.ts'))
// Each library for authors is one file, whatever it is made of.
const published = ['src/sdk/agent.ts', 'src/sdk/extension.ts', 'src/sdk/extension-host.ts']
const folderOf = (path: string) => path.split('/')[1] ?? ''
const paths = (found: SourceModule[]) => found.map((module) => module.path)

test('an import follows the arrows', () => {
  const wrong = product.flatMap((module) => {
    const allowed = reachableFolders(folderOf(module.path))
    const upward = module.imports.filter(
      ({ target }) => target !== undefined && !(target.startsWith('src/') && allowed.has(folderOf(target))),
    )
    return upward.map(({ target }) => `${module.path} → ${target}`)
  })
  expect(wrong).toEqual([])
})

test('every folder below src/ has its arrows', () => {
  expect(paths(source.filter((module) => arrows[folderOf(module.path)] === undefined))).toEqual([])
})

test('no module imports itself through others', () => {
  expect(findCycle(product)).toBeUndefined()
})

test('every import names a file that exists', () => {
  const wrong = modules.flatMap((module) =>
    module.imports
      .filter(({ target, exists }) => target !== undefined && !exists)
      .map(({ specifier }) => `${module.path} → ${specifier}`),
  )
  expect(wrong).toEqual([])
})

test('every import can be read from the text: none by require(), none of a computed name', () => {
  // The program of a worker is a script of its own, in a string.
  const scripts = ['src/piglet/tools/grep.ts']
  const wrong = product
    .filter(({ path }) => !scripts.includes(path))
    .flatMap(({ path, text }) => hiddenImports(text).map((call) => `${path}: ${call}`))
  expect(wrong).toEqual([])
})

const here = './architecture/modules.ts'
test.each([
  [`require('${here}')`, true],
  [`import(\`${here}\`)`, true],
  [`import("${here}")`, true],
  ['import(name)', true],
  [`import('${here}')`, false],
  [`import(\n  '${here}',\n)`, false],
  ["requires('--force', '--reset')", false],
])('%j hides an import: %p', (text, isHidden) => {
  expect(hiddenImports(text).length > 0).toBe(isHidden)
})

test('nothing has a default export, and no module passes on the exports of another', () => {
  expect(paths(modules.filter(({ text }) => /^export default\b/m.test(text)))).toEqual([])
  const inside = modules.filter(({ path }) => !published.includes(path))
  expect(
    paths(inside.filter(({ text }) => /^export (?:type )?(?:\*|\{[^}]*\}) .*?\bfrom '/ms.test(text))),
  ).toEqual([])
})

// What follows the first dot is a kind: .test, .property.test, .generated.
test('file names are kebab-case and say what is inside', () => {
  const names = modules.map(({ path }) => ({ path, name: basename(path).split('.')[0] ?? '' }))
  expect(
    names.filter(({ name }) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)).map(({ path }) => path),
  ).toEqual([])
  expect(
    names
      .filter(({ name }) => /(?:^|-)(?:utils?|helpers?|common|misc|types|manager)$/.test(name))
      .map(({ path }) => path),
  ).toEqual([])
})

test('a file of the product starts with a sentence that says what it does', () => {
  expect(paths(written.filter(({ text }) => !/^(?:#!.*\n)?\/\/ \S/.test(text)))).toEqual([])
})

test('only the command line prints, and only std starts processes', () => {
  // A plugin is a program, and so is an extension: this is where those made with the kits talk.
  const talking = ['src/sdk/agent/program.ts', 'src/sdk/extension/program.ts']
  const quiet = product.filter(
    ({ path }) => !['cli', 'bin'].includes(folderOf(path)) && !talking.includes(path),
  )
  expect(paths(quiet.filter(({ text }) => /\bconsole\.|process\.(?:stdout|stderr)\b/.test(text)))).toEqual([])
  expect(paths(product.filter(({ text }) => /\bBun\.(?:spawn|\$)|\bchild_process\b/.test(text)))).toEqual([
    'src/std/limited-process.ts',
    'src/std/long-running-child.ts',
    'src/std/process.ts',
  ])
})

test('the model does no input or output', () => {
  const model = product.filter(({ path }) => folderOf(path) === 'model')
  expect(
    paths(
      model.filter(
        ({ text, imports }) =>
          /\bBun\./.test(text) || imports.some(({ specifier }) => specifier.startsWith('node:')),
      ),
    ),
  ).toEqual([])
})

// What a module keeps for all calls begins full or is a cache: a shared empty value is filled by whoever gets it,
// and a process that lives long then mixes one call with another.
test('no module shares an empty value', () => {
  // Caches, and a schema that is only sent.
  const known = [
    'src/agents/index.ts everyAgent',
    'src/sdk/extension/connection.ts emptySchema',
    'src/std/lock.ts held',
  ]
  const constant = /^(?:export )?const (\w+)(?:: [^=\n]+)? = ([[{n][^\n]*)$/gm
  const empty = /(?:^|[\s,])(?:\[\]|\{\}|new (?:Map|Set)(?:<.*>)?\(\))/
  const shared = product.flatMap(({ path, text }) =>
    [...text.matchAll(constant)]
      .filter(([, , value = '']) => empty.test(value))
      .map(([, name]) => `${path} ${name}`),
  )
  expect(shared.sort()).toEqual(known)
})

// A package on this path would be paid for at every event of every agent.
test.each([
  'cli/hooks/run-hook.ts',
  'cli/hooks/agent-hook.ts',
  'cli/hooks/git-hook.ts',
  'cli/recorder.ts',
  'recording/dispatch.ts',
  'commits/link.ts',
  'commits/post-commit.ts',
  'redact/redact.ts',
])('a hook loads no package: %s', (entry) => {
  const reached = staticallyReachable(product, `src/${entry}`)
  expect(reached.length).toBeGreaterThan(1)
  const packages = reached.flatMap((module) =>
    module.imports
      .filter(({ kind, specifier }) => kind === 'value' && !/^(?:\.|node:|bun:|bun$)/.test(specifier))
      .map(({ specifier }) => `${module.path} → ${specifier}`),
  )
  expect(packages).toEqual([])
})

// The kit that authors import is small; the conformance check, in the same layer, is not part of it.
test('the kit for extensions takes nothing of the host along', () => {
  const reached = staticallyReachable(product, 'src/sdk/extension.ts')
  expect(reached.length).toBeGreaterThan(1)
  expect(paths(reached.filter(({ path }) => folderOf(path) === 'extensions'))).toEqual([])
})

test('the program decides for the hook path before anything else is loaded', () => {
  const reached = staticallyReachable(product, 'src/bin/entire.ts')
  expect(
    reached.flatMap(({ imports }) =>
      imports.filter(({ kind, specifier }) => kind === 'value' && !/^(?:\.|node:|bun:|bun$)/.test(specifier)),
    ),
  ).toEqual([])
})

// A path in a document is a promise: `src/git/refs.ts`, or `git/refs.ts` below src/. Placeholders such as
// <name> do not count.
test('documents name files that exist', async () => {
  const documents = ['*.md', 'docs/*.md', 'docs/adr/*.md'].flatMap((pattern) => [
    ...new Bun.Glob(pattern).scanSync('.'),
  ])
  expect(documents.length).toBeGreaterThan(20)
  const wrong = await Promise.all(
    documents.map(async (document) => {
      const text = await Bun.file(document).text()
      const named = [...text.matchAll(/[`(](?:\.\.\/)*([a-z][\w-]*\/[\w./-]+\.(?:ts|mjs|md))[`)]/g)]
      const missing = named.filter(([, path = '']) =>
        ['', 'src', 'docs', 'docs/adr'].every((folder) => !existsSync(join(folder, path))),
      )
      return missing.map(([, path]) => `${document} → ${path}`)
    }),
  )
  expect(wrong.flat()).toEqual([])
})

// `recording/dispatch dispatch()` in a picture of docs/architecture.md: a file below src/, and an export of it.
test('the journeys name files and functions that exist', async () => {
  const journeys = (await Bun.file('docs/architecture.md').text()).match(
    /\n## Three journeys\n(.*?)\n## /s,
  )?.[1]
  const named = [...(journeys ?? '').matchAll(/(?<![\w./-])([a-z]+(?:\/[a-z-]+)+)(?: (\w+)\(\))?/g)]
    .map(([, path = '', name]) => ({ path: `src/${path}.ts`, name }))
    .filter(({ path }) => arrows[folderOf(path)] !== undefined)
  expect(named.filter(({ name }) => name !== undefined).length).toBeGreaterThan(20)
  const wrong = named.filter(({ path, name }) => {
    const module = product.find((candidate) => candidate.path === path)
    const isThere =
      name === undefined || new RegExp(`^export (?:async )?function ${name}\\b`, 'm').test(module?.text ?? '')
    return module === undefined || !isThere
  })
  expect(wrong).toEqual([])
})

// The second column names files of the folder in the first: | `recording/` | …: `dispatch`, `turn-start` … |
test('the table of folders names every folder, and files that exist', async () => {
  const rows = [...(await Bun.file('docs/architecture.md').text()).matchAll(/^\| `([a-z]+)\/` \| (.*) \|$/gm)]
  expect(rows.map(([, folder = '']) => folder).sort()).toEqual(Object.keys(arrows).sort())
  const wrong = rows
    .filter(([, folder]) => folder !== 'cli')
    .flatMap(([, folder = '', text = '']) =>
      [...text.matchAll(/`([a-z/-]+)`/g)]
        .map(([, name = '']) => (name.endsWith('/') ? `src/${name}` : `src/${folder}/${name}.ts`))
        .filter((path) => !existsSync(path)),
    )
  expect(wrong).toEqual([])
})

test('the README gives the line that continuous integration runs', async () => {
  const readme = await Bun.file('README.md').text()
  const line = (await Bun.file('.ci/run').text()).match(/^ *(npm ci && .+)$/m)?.[1]
  expect(readme).toContain(`${line}\n`)
})
