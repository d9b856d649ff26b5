import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compileProject, installTypes } from '../../../test/support/install-package.ts'
import { rotatingRows, rotationTitle } from '../../../test/support/rotation.ts'
import { subcommands } from '../../protocol/external-agent/table.ts'
import { runLimited } from '../../std/limited-process.ts'
import { checkAgent } from '../conformance/agent/check-agent.ts'
import { readAgentFixtures } from '../conformance/agent/fixtures.ts'
import { formatResult } from '../conformance/report.ts'
import { scaffoldAgent } from './scaffold-agent.ts'
import { type AgentLanguage, agentLanguages } from './template.ts'

// The Python of the system first, because a version switcher makes each start slow.
const env = {
  PATH: `/usr/bin:${process.env.PATH}`,
  HOME: '/nonexistent',
  // What Go has compiled of its own library is used again.
  GOCACHE: process.env.GOCACHE ?? join(homedir(), '.cache', 'go-build'),
  GOFLAGS: '-mod=mod',
  GOTOOLCHAIN: 'local',
}

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'scaffold-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const run = async (argv: string[], cwd: string) => {
  const { code, stdout, stderr, startError } = await runLimited(argv, {
    cwd,
    env,
    timeoutMs: 300_000,
    maxBytes: 1_000_000,
  })
  return { code, output: `${startError ?? ''}${stdout}${stderr}` }
}

function write(name: string, language: AgentLanguage): string {
  const place = mkdtempSync(join(dir, `${language}-`))
  for (const { path, content, executable } of scaffoldAgent(name, language)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), content, { mode: executable ? 0o755 : 0o644 })
  }
  return place
}

const ownTests: Record<AgentLanguage, string[]> = {
  ts: ['node', '--test', 'test/'],
  python: ['python3', '-m', 'unittest'],
  sh: ['./test.sh'],
  go: ['go', 'test', '.'],
}

// The compiler is not a part of the project. Where it is, and it is Go's turn, the plugin is compiled.
const goProgram = Bun.which('go')

// Each rule starts the plugin several times; its own tests are run every time.
const checked = rotatingRows(agentLanguages)

const runnable = agentLanguages.filter(
  (language) => language !== 'go' || (goProgram && checked.includes('go')),
)

describe.each([...runnable])('a new plugin in %s', (language) => {
  let place: string
  beforeAll(async () => {
    place = write('my-agent', language)
    if (language === 'go') {
      const built = await run(['go', 'build', '-o', 'entire-agent-my-agent', '.'], place)
      if (built.code !== 0) throw new Error(built.output)
    }
    if (language !== 'ts') return
    installTypes(place)
    await compileProject(place)
  })

  test('passes its own tests', async () => {
    const { code, output } = await run(ownTests[language], place)
    expect(code === 0 ? '' : output).toBe('')
  })

  const title = `passes every rule of the protocol, and reads its samples as expected (${rotationTitle})`
  if (checked.includes(language))
    test(title, async () => {
      const fixtures = readAgentFixtures(join(place, 'fixtures.json'))
      const results = await checkAgent(join(place, 'entire-agent-my-agent'), { env, fixtures })
      expect(results.filter(({ failure }) => failure !== undefined).flatMap(formatResult)).toEqual([])
      expect(
        results.filter(({ id, status }) => id.startsWith('fixtures/') && status === 'passed').length,
      ).toBeGreaterThanOrEqual(6)
    })

  test('runs through a link', async () => {
    const link = join(mkdtempSync(join(dir, 'bin-')), 'entire-agent-my-agent')
    symlinkSync(join(place, 'entire-agent-my-agent'), link)
    const { output } = await run([link, 'info'], dir)
    expect(JSON.parse(output)).toMatchObject({ name: 'my-agent', type: 'My Agent' })
  })

  test('has no placeholder left', () => {
    for (const { path, content } of scaffoldAgent('my-agent', language))
      expect(`${path} ${content}`).not.toMatch(/\{\{\w+\}\}/)
  })
})

const isCompiled = (runnable as readonly string[]).includes('go')
test(`a plugin in Go answers every subcommand of what it declares (${isCompiled ? 'compiled' : goProgram === null ? 'NOT compiled: there is no go here' : 'NOT compiled: not in this part of the rotation'})`, () => {
  const files = scaffoldAgent('my-agent', 'go')
  const source = files.find(({ path }) => path === 'main.go')?.content ?? ''
  const declared = ['hooks', 'transcript_analyzer', 'token_calculator']
  const promised = Object.entries(subcommands).filter(
    ([, subcommand]) => !('capability' in subcommand) || declared.includes(subcommand.capability),
  )
  for (const [name, { args }] of promised) {
    const [, needs = ''] = new RegExp(`^\\t"${name}": +\\{(.*), \\w+\\},$`, 'm').exec(source) ?? [
      '',
      'missing',
    ]
    const values = Object.entries(args).flatMap(([flag, kind]) => (kind === 'switch' ? [] : [`"${flag}"`]))
    expect([name, needs]).toEqual([name, values.length === 0 ? 'nil' : `[]string{${values.join(', ')}}`])
  }
  for (const capability of declared) expect(source).toContain(`"${capability}": true`)
  expect(source.match(/^\t"[^"]*"$/gm)?.filter((line) => line.includes('.'))).toEqual([])
  for (const { path, content } of files) expect(`${path} ${content}`).not.toMatch(/\{\{\w+\}\}/)
})

test('a TypeScript plugin carries the kit along, and depends on no package', () => {
  const files = new Map(scaffoldAgent('my-agent', 'ts').map(({ path, content }) => [path, content]))
  expect(JSON.parse(files.get('package.json') ?? '')).not.toHaveProperty('dependencies')
  const imported = [...files.values()].flatMap((text) => [...text.matchAll(/^import .* from '([^']+)'/gm)])
  expect(imported.map(([, from = '']) => from).filter((from) => !/^(?:node:|\.\/)/.test(from))).toEqual([])
})

test('a TypeScript plugin that is not built says how to build it', async () => {
  const { code, output } = await run([join(write('early', 'ts'), 'entire-agent-early'), 'info'], dir)
  expect(code).toBe(1)
  expect(output).toContain('npm run build')
})

test.each(['', 'My-Agent', 'a b', '../x', '-a', '1a', 'a--b', 'a-', "a';x", 'a'.repeat(51)])(
  '%j is not a valid name',
  (name) => {
    expect(() => scaffoldAgent(name, 'sh')).toThrow('is not a valid value for the name of an agent')
  },
)
