// Runs the live tests: real agents from npm, each in a sandbox without a network (`npm run test:live`).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { liveAgents } from '../test/live/agents/index.ts'
import type { LiveAgent } from '../test/live/agents/live-agent.ts'
import { cacheDir, install } from '../test/live/cache.ts'
import { findSandbox, type Sandbox } from '../test/live/sandbox.ts'

const known = liveAgents.map(({ name }) => name)

const usage = `Usage: npm run test:live -- [options] [agent]...

Runs real agents against a scripted model, without a network, and checks what is recorded. Without names, all of them:
${known.join(', ')}.

  --require <agent>  fail, instead of skipping it, when this agent cannot run here; may be repeated
  --keep             keep the repositories and print their paths
  --help

Agents are installed with npm below ${cacheDir(process.env)}; ENTIRE_LIVE_AGENTS names another folder.`

interface Choice {
  agents: LiveAgent[]
  required: string[]
  keep: boolean
}

function choose(): Choice | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      require: { type: 'string', multiple: true },
      keep: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  const { require: required = [], keep = false, help = false } = values
  const unknown = [...positionals, ...required].find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(`live test not found: ${unknown}. There are: ${known.join(', ')}.`)
  const names = positionals.length > 0 ? [...positionals, ...required] : known
  return help ? undefined : { agents: liveAgents.filter(({ name }) => names.includes(name)), required, keep }
}

interface Outcome {
  agent: LiveAgent
  result: 'passed' | 'failed' | 'skipped'
  why?: string
}

async function runAgent(
  agent: LiveAgent,
  sandbox: Sandbox | { problem: string },
  keep: boolean,
): Promise<Outcome> {
  console.log(`\n# ${agent.name} ${agent.version}`)
  if ('problem' in sandbox)
    return { agent, result: 'skipped', why: `there is no sandbox without a network here: ${sandbox.problem}` }
  const installed = await install(agent, sandbox, process.env)
  if ('problem' in installed)
    return { agent, result: 'skipped', why: `it cannot be installed: ${installed.problem}` }
  const dir = mkdtempSync(join(tmpdir(), 'entire-live-'))
  try {
    // In there, the processes of other test runs cannot be seen: their directories must not be taken for
    // left ones and removed.
    const places = { TMPDIR: dir, ENTIRE_TEST_DISK: dir }
    const env = { ...process.env, LIVE_AGENT: agent.name, LIVE_AGENT_BIN: installed.bin, ...places }
    return { agent, result: (await runStory(sandbox, env)) === 0 ? 'passed' : 'failed' }
  } finally {
    if (keep) console.log(`Kept: ${dir}`)
    else rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** An agent takes from half a minute to a few minutes; the limit is for one that hangs. */
const limitMs = 20 * 60_000

async function runStory(sandbox: Sandbox, env: Record<string, string | undefined>): Promise<number> {
  const argv = [process.execPath, 'test', '--bail', '--timeout', String(limitMs), './test/live/story.live.ts']
  const child = Bun.spawn(sandbox.wrap(argv), {
    cwd: join(import.meta.dir, '..'),
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  const end = () => child.kill('SIGKILL')
  process.on('exit', end)
  return await child.exited.finally(() => process.off('exit', end))
}

async function main({ agents, required, keep }: Choice): Promise<number> {
  const sandbox = await findSandbox(process.env)
  const outcomes: Outcome[] = []
  for (const agent of agents) {
    const outcome = await runAgent(agent, sandbox, keep)
    if (outcome.why !== undefined) console.log(`Not run: ${outcome.why}`)
    if (outcome.result === 'skipped' && required.includes(agent.name)) outcome.result = 'failed'
    outcomes.push(outcome)
  }
  console.log('')
  for (const { agent, result, why } of outcomes)
    console.log(`${agent.name} ${agent.version}: ${result}${why ? `, ${why}` : ''}`)
  const count = (wanted: Outcome['result']) => outcomes.filter(({ result }) => result === wanted).length
  console.log(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`)
  return count('failed') === 0 ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))
try {
  const choice = choose()
  if (choice === undefined) console.log(usage)
  else process.exitCode = await main(choice)
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  process.exitCode = 2
}
