import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { play, type Script } from './agent.ts'
import { demo } from './plugin.ts'
import { sessionDir, sessionFile } from './session-log.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'demo-agent-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const script = JSON.parse(readFileSync(join(import.meta.dir, 'script.json'), 'utf8')) as Script

/** A repository, a home, and an `entire` that records its calls. */
function place() {
  const base = mkdtempSync(join(dir, 'place-'))
  const [root, home, bin] = ['repo', 'home', 'bin'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [root, home, bin]) mkdirSync(path)
  writeFileSync(join(root, 'notes.txt'), 'old\n')
  writeFileSync(
    join(bin, 'entire'),
    `#!/bin/sh\nprintf '%s ' "$@" >> ${base}/calls\ncat >> ${base}/calls\necho >> ${base}/calls\n`,
  )
  chmodSync(join(bin, 'entire'), 0o755)
  const calls = () =>
    existsSync(join(base, 'calls')) ? readFileSync(join(base, 'calls'), 'utf8').trimEnd().split('\n') : []
  return { root, home, env: { PATH: `${bin}:${process.env.PATH}`, HOME: home }, calls }
}

test('a script produces the same files and the same transcript each time', () => {
  const transcripts = [place(), place()].map(({ calls: _, ...where }) => {
    play(script, where)
    expect(readFileSync(join(where.root, 'greeting.txt'), 'utf8')).toBe('Hello, dear world!\n')
    expect(existsSync(join(where.root, 'notes.txt'))).toBe(false)
    return readFileSync(sessionFile(sessionDir(where.home, where.root), script.session), 'utf8')
  })
  expect(transcripts[0]).toBe(transcripts[1]!)
  expect(transcripts[0]?.trimEnd().split('\n').length).toBe(7)
})

test('hooks installed by the plugin are called in the order of a session, with payloads that the plugin can parse', async () => {
  const { calls, ...where } = place()
  await demo.definition.hooks!.install(
    { force: false, localDev: false },
    { repoRoot: where.root, home: where.home, env: {} },
  )
  play(script, where)
  const [start, ...rest] = calls().map((line) => line.split(' ').slice(0, 3).join(' '))
  expect(start).toBe('hooks demo session-start')
  expect(rest).toEqual([
    'hooks demo turn-start',
    'hooks demo turn-end',
    'hooks demo turn-start',
    'hooks demo turn-end',
    'hooks demo session-end',
  ])
  const payload = calls()[1]!.split(' ').slice(3).join(' ')
  const event = await demo.call({
    words: ['parse-hook', '--hook', 'turn-start'],
    stdin: async () => Buffer.from(payload),
    context: { repoRoot: where.root, home: where.home, env: {} },
  })
  expect(JSON.parse(event.toString())).toMatchObject({
    type: 2,
    session_id: script.session,
    prompt: 'Write a greeting.',
  })
})

test('a crash leaves the session open', async () => {
  const { calls, ...where } = place()
  await demo.definition.hooks!.install(
    { force: false, localDev: false },
    { repoRoot: where.root, home: where.home, env: {} },
  )
  play({ ...script, crash: true }, where)
  expect(calls().at(-1)).toStartWith('hooks demo turn-end')
})

test('commands of the agent have the session in their environment', () => {
  const where = place()
  play(
    {
      ...script,
      turns: [{ prompt: 'x', run: [['/bin/sh', '-c', 'echo $DEMO_AGENT_SESSION > who']], answer: 'y' }],
    },
    where,
  )
  expect(readFileSync(join(where.root, 'who'), 'utf8')).toBe(`${script.session}\n`)
})

/** The program, with its script in the home directory. */
function program() {
  const { calls, ...where } = place()
  mkdirSync(join(where.home, '.demo-agent'))
  writeFileSync(join(where.home, '.demo-agent', 'script.json'), JSON.stringify(script))
  const run = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(
      [process.execPath, join(import.meta.dir, 'demo-agent.ts'), ...args],
      {
        cwd: where.root,
        env: where.env,
      },
    )
    return { code: exitCode, output: `${stdout}${stderr}` }
  }
  return {
    ...where,
    calls,
    run,
    log: () => readFileSync(sessionFile(sessionDir(where.home, where.root), script.session), 'utf8'),
  }
}

test('a resumed session continues where its log ends, with the rest of the script', () => {
  const { run, log } = program()
  expect(run('Write a greeting.')).toEqual({ code: 0, output: 'I wrote greeting.txt.\n' })
  const first = log()
  expect(run('--resume', script.session)).toMatchObject({
    code: 0,
    output: expect.stringContaining('friendlier'),
  })
  expect(log()).toStartWith(first)
  const times = log()
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { time: string }).time)
  expect(times).toEqual([...new Set(times)].toSorted())
  expect(times.length).toBe(7)
})

test('a prompt without a turn and a session that does not exist are refused', () => {
  const { run } = program()
  expect(run('Do my taxes.')).toEqual({
    code: 1,
    output: 'demo-agent: The script has no turn with this prompt.\n',
  })
  expect(run('--resume', 'other')).toEqual({
    code: 1,
    output: 'demo-agent: session not found: other\n',
  })
  run('Write a greeting.')
  expect(run('Write a greeting.')).toMatchObject({
    code: 1,
    output: expect.stringContaining(`demo-agent --resume ${script.session}`),
  })
})
