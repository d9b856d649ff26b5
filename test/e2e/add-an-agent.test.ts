// Adds an agent to a copy of the source by the recipe of CONTRIBUTING.md, and uses it.
import { expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { runProgram } from '../support/process.ts'
import { tempRepo } from '../support/repo.ts'

const project = resolve(import.meta.dir, '../..')

// Text and not source of this project, as a contributor would write it.
const files = join(project, 'test/fixtures/newcomer')

test('an agent that has a folder, a card and a line in the list is enabled, recorded, linked and explained', async () => {
  await using repo = await tempRepo()
  const copy = join(repo.base, 'product')
  mkdirSync(copy)
  cpSync(join(project, 'src'), join(copy, 'src'), { recursive: true })
  cpSync(join(project, 'package.json'), join(copy, 'package.json'))
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
  mkdirSync(join(copy, 'src/agents/newcomer'))
  for (const name of readdirSync(files))
    cpSync(join(files, name), join(copy, 'src/agents/newcomer', name.replace(/\.txt$/, '')))
  appendFileSync(
    join(copy, 'src/agents/cards.ts'),
    "\nexport const newcomerCard = { name: 'newcomer', type: 'New Comer', callerEnv: [] } satisfies AgentCard\n",
  )
  const list = join(copy, 'src/agents/index.ts')
  const known = readFileSync(list, 'utf8')
  const [imports, line] = [/^import \{\n(?=.*from '\.\/cards\.ts')/ms, /^const list: Listed\[\] = \[\n/m]
  for (const place of [imports, line]) expect(known).toMatch(place)
  const entry = `  { card: newcomerCard, load: async () => (await import(${JSON.stringify('./newcomer/index.ts')})).newcomer },\n`
  writeFileSync(list, known.replace(imports, '$&  newcomerCard,\n').replace(line, `$&${entry}`))

  const bin = join(repo.base, 'bin')
  mkdirSync(bin)
  const program = join(bin, 'entire')
  writeFileSync(
    program,
    `#!/bin/sh\nexec '${process.execPath}' '${join(copy, 'src/bin/entire.ts')}' "$@"\n`,
    { mode: 0o755 },
  )
  const env = { ...repo.env, PATH: `${bin}:${repo.env.PATH}` }
  const entire = async (args: string[], stdin = '') => {
    const { code, stdout, stderr } = await runProgram([program, ...args], { cwd: repo.root, env, stdin })
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
    return stdout.toString('utf8')
  }

  repo.write('first.txt', 'first\n')
  await repo.commit('first')
  await entire(['enable', '--agent', 'newcomer', '--yes'])
  expect(repo.read('.newcomer/hooks.json')).toContain('hooks newcomer done')
  expect(await entire(['agent', 'list'])).toContain('newcomer')

  const transcript = join(repo.base, 'newcomer.jsonl')
  const payload = { session_id: 'late-1', transcript_path: transcript, cwd: repo.root, prompt: 'write two' }
  await entire(['hooks', 'newcomer', 'begin'], JSON.stringify(payload))
  repo.write('two.txt', 'two\n')
  appendFileSync(transcript, `{"asked":"write two"}\n{"wrote":"two.txt"}\n`)
  await entire(['hooks', 'newcomer', 'done'], JSON.stringify(payload))
  await repo.run(['git', 'add', 'two.txt'], { env })
  expect((await repo.run(['git', 'commit', '-m', 'two'], { env })).code).toBe(0)

  expect(await repo.git('log', '-1', '--format=%B')).toContain('Entire-Checkpoint: ')
  const explained = await entire(['explain', '--commit', 'HEAD'])
  expect(explained).toContain('write two')
  expect(explained).toContain('New Comer')
  await entire(['disable', '--uninstall', '--force'])
}, 60_000)
