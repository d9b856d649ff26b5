// Piglet also runs on Node: bundled, with an extension and a model.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../src/std/process.ts'
import { asker, type Stage, stage } from './piglet-stage.ts'

let on: Stage
beforeAll(async () => {
  on = await stage()
})
afterAll(async () => {
  await on[Symbol.asyncDispose]()
})

test('a run with tools, an extension and a session on disk, on Node', async () => {
  asker(on)
  on.write('a.txt', 'old\n')
  on.write('b.txt', 'none\nx\n')
  on.model.say(
    {
      text: 'see',
      calls: [
        { name: 'edit', args: { path: 'a.txt', old_text: 'old', new_text: 'new' } },
        { name: 'grep', args: { pattern: 'o|e', path: 'b.txt' } },
      ],
    },
    'done',
  )
  const bundle = join(on.base, 'piglet.js')
  const built = await run(
    [
      process.execPath,
      'build',
      join(import.meta.dir, '../../src/piglet/piglet.ts'),
      '--target=node',
      `--outfile=${bundle}`,
    ],
    {
      cwd: on.base,
      env: process.env,
    },
  )
  expect([built.code, built.stderr]).toEqual([0, expect.any(String)])
  const script = join(on.base, 'script.mjs')
  writeFileSync(
    script,
    `import { openPiglet } from './piglet.js'
const piglet = openPiglet({ cwd: ${JSON.stringify(on.cwd)}, configDir: ${JSON.stringify(on.configDir)}, env: process.env })
await piglet.start()
const outcome = await piglet.run('change it')
await piglet.runCommand('ask', 'host/sessionStats')
const stats = piglet.view().messages.at(-1).text
await piglet.stop()
console.log(JSON.stringify({ outcome, stats, problems: piglet.view().notifications }))
`,
  )
  const { code, stdout, stderr } = await run(['node', script], {
    cwd: on.base,
    env: { PATH: process.env.PATH, HOME: on.base },
  })
  expect([code, stderr]).toEqual([0, ''])
  const { outcome, stats, problems } = JSON.parse(stdout.toString())
  expect([outcome, problems]).toEqual([
    { end: 'done', text: 'see\ndone', turns: 2, usage: { input: 20, output: 10 } },
    [],
  ])
  expect(JSON.parse(stats).result.turnCount).toBe(2)
  expect(on.model.asked[1]?.body.messages.slice(-2).map(({ content }) => content)).toEqual([
    `Changed ${join(on.cwd, 'a.txt')} (+1 -1).`,
    '1:none',
  ])
}, 60_000)
