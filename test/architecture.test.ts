// Holds the shape of the source: which layer may use which, and the habits that keep a file easy to find and to read.
import { expect, test } from 'bun:test'
import { basename } from 'node:path'
import { findCycle, readModules, type SourceModule, staticallyReachable } from './architecture/modules.ts'

// An import may only point to a layer named here. A new folder below src/ needs a line, and a reason in docs/architecture.md.
const layers: Record<string, string[]> = {
  std: [],
  model: ['std'],
  protocol: ['std', 'model'],
  agents: ['std', 'model', 'protocol'],
  sdk: ['std', 'model', 'protocol', 'extensions'],
  extensions: ['std', 'model', 'protocol'],
  git: ['std', 'model'],
  checkpoints: ['std', 'model', 'git'],
  session: ['std', 'model', 'git', 'checkpoints'],
  cli: ['std', 'model', 'protocol', 'agents', 'sdk', 'extensions', 'git', 'checkpoints', 'session'],
  bin: ['std', 'model', 'protocol', 'agents', 'sdk', 'extensions', 'git', 'checkpoints', 'session', 'cli'],
}

const modules = readModules(['src', 'scripts', 'test'])
const source = modules.filter((module) => module.path.startsWith('src/'))
const product = source.filter((module) => !module.path.endsWith('.test.ts'))
const written = product.filter((module) => !module.path.endsWith('.generated.ts'))
// What authors of plugins import is one file each, whatever it is made of.
const published = ['src/sdk/agent.ts', 'src/sdk/extension.ts', 'src/extensions/library.ts']
const layerOf = (path: string) => path.split('/')[1] ?? ''
const paths = (found: SourceModule[]) => found.map((module) => module.path)

test('an import points to the same layer or to one below', () => {
  const wrong = product.flatMap((module) => {
    const allowed = [layerOf(module.path), ...(layers[layerOf(module.path)] ?? [])]
    const upward = module.imports.filter(
      ({ target }) => target !== undefined && !(target.startsWith('src/') && allowed.includes(layerOf(target))),
    )
    return upward.map(({ target }) => `${module.path} → ${target}`)
  })
  expect(wrong).toEqual([])
})

test('every folder below src/ is a layer', () => {
  expect(paths(source.filter((module) => layers[layerOf(module.path)] === undefined))).toEqual([])
})

test('no module imports itself through others', () => {
  expect(findCycle(product)).toBeUndefined()
})

test('every import names a file that exists', () => {
  const wrong = modules.flatMap((module) =>
    module.imports.filter(({ target, exists }) => target !== undefined && !exists).map(({ specifier }) => `${module.path} → ${specifier}`),
  )
  expect(wrong).toEqual([])
})

test('nothing has a default export, and no module passes on the exports of another', () => {
  expect(paths(modules.filter(({ text }) => /^export default\b/m.test(text)))).toEqual([])
  const inside = modules.filter(({ path }) => !published.includes(path))
  expect(paths(inside.filter(({ text }) => /^export (?:type )?(?:\*|\{[^}]*\}) .*?\bfrom '/ms.test(text)))).toEqual([])
})

// What follows the first dot is a kind: .test, .property.test, .generated.
test('file names are kebab-case and say what is inside', () => {
  const names = modules.map(({ path }) => ({ path, name: basename(path).split('.')[0] ?? '' }))
  expect(names.filter(({ name }) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)).map(({ path }) => path)).toEqual([])
  expect(names.filter(({ name }) => /(?:^|-)(?:utils?|helpers?|common|misc|types|manager)$/.test(name)).map(({ path }) => path)).toEqual([])
})

test('a file of the product starts with a sentence saying why it exists, and stays below 200 lines', () => {
  expect(paths(written.filter(({ text }) => !/^(?:#!.*\n)?\/\/ \S/.test(text)))).toEqual([])
  expect(paths(written.filter(({ text }) => text.split('\n').length > 201))).toEqual([])
})

test('only the command line prints, and only std starts processes', () => {
  // A plugin is a program, and so is an extension: this is where those made with the kits talk.
  const talking = ['src/sdk/agent/program.ts', 'src/sdk/extension/streams.ts']
  const quiet = product.filter(({ path }) => !['cli', 'bin'].includes(layerOf(path)) && !talking.includes(path))
  expect(paths(quiet.filter(({ text }) => /\bconsole\.|process\.(?:stdout|stderr)\b/.test(text)))).toEqual([])
  expect(paths(product.filter(({ text }) => /\bBun\.(?:spawn|\$)|\bchild_process\b/.test(text)))).toEqual([
    'src/std/child-process.ts',
    'src/std/limited-proc.ts',
    'src/std/proc.ts',
  ])
})

test('the model does no input or output', () => {
  const model = product.filter(({ path }) => layerOf(path) === 'model')
  expect(
    paths(model.filter(({ text, imports }) => /\bBun\./.test(text) || imports.some(({ specifier }) => specifier.startsWith('node:')))),
  ).toEqual([])
})

// A package on this path would be paid for at every event of every agent.
test.each([
  'cli/commands/hooks.ts',
  'cli/commands/hooks-agent.ts',
  'cli/commands/hooks-git.ts',
  'cli/recorder.ts',
  'session/dispatch.ts',
  'session/link-commit.ts',
  'session/post-commit.ts',
  'checkpoints/redact/redact-transcript.ts',
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
  expect(paths(reached.filter(({ path }) => layerOf(path) === 'extensions'))).toEqual([])
})

test('the program decides for the hook path before anything else is loaded', () => {
  const reached = staticallyReachable(product, 'src/bin/entire.ts')
  expect(
    reached.flatMap(({ imports }) =>
      imports.filter(({ kind, specifier }) => kind === 'value' && !/^(?:\.|node:|bun:|bun$)/.test(specifier)),
    ),
  ).toEqual([])
})

test('the README gives the line that continuous integration runs', async () => {
  const readme = await Bun.file('README.md').text()
  const line = (await Bun.file('.ci/run').text()).match(/^ *(npm ci && .+)$/m)?.[1]
  expect(readme).toContain(`${line}\n`)
})
