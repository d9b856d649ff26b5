// Measures how soon a person at a terminal sees the first character of an answer, against `git log -1` at the
// same terminal.
import { until } from '../support/until.ts'
import { type Ground, makeGround, settle } from './ground.ts'
import { addHistory } from './long-history.ts'
import { type Measurement, median, ratio } from './measure.ts'

const commands = {
  git: ['git', 'log', '-1'],
  status: ['entire', 'status'],
  explain: ['entire', 'explain'],
  rewind: ['entire', 'rewind', '--list'],
} as const

export const measureFeel: Measurement = async () => {
  const ground = makeGround({ files: 1_000 })
  addHistory(ground, { commits: 100_000, checkpoints: 1_000 })
  ground.run(['git', 'reset', '--quiet', '--hard'])
  settle(ground)
  const times = new Map<string, number[]>(Object.keys(commands).map((name) => [name, []]))
  for (let round = 0; round < 25; round += 1)
    for (const [name, argv] of Object.entries(commands))
      times.get(name)?.push(await firstCharacter(ground, argv))
  const taken = (name: keyof typeof commands) => median(times.get(name) ?? [])
  return (['status', 'explain', 'rewind'] as const).map((name) =>
    ratio(`first character of ${commands[name].join(' ')}, against git log -1`, 3, taken(name), taken('git')),
  )
}

async function firstCharacter(ground: Ground, argv: readonly string[]): Promise<number> {
  const start = performance.now()
  let first: number | undefined
  const terminal = new Bun.Terminal({
    cols: 100,
    rows: 40,
    data: () => {
      first ??= performance.now() - start
    },
  })
  const env = { ...ground.env, TERM: 'xterm-256color', LESS: 'FRX' }
  const child = Bun.spawn([...argv], { cwd: ground.root, env, terminal })
  await until(() => first !== undefined || child.exitCode !== null)
  // Output may come after the end of the process is known.
  for (let waited = 0; first === undefined && waited < 100; waited += 1) await Bun.sleep(1)
  // A pager that shows the first page waits for a key.
  terminal.write('q')
  const code = await child.exited
  terminal.close()
  if (code !== 0 || first === undefined)
    throw new Error(
      `${argv.join(' ')} ended with ${code} and said ${first === undefined ? 'nothing' : 'something'}`,
    )
  return first
}
