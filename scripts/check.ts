// Runs everything that must hold before a commit: `npm run check`. The last line is the verdict, `N passed, N
// failed`.
import { rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { rotationTitle } from '../test/support/rotation.ts'
import { makeRunDirectory } from '../test/support/run-directory.ts'
import { addVerdicts, readVerdict, type Verdict } from './check-verdict.ts'

const root = join(import.meta.dir, '..')
const bun = process.execPath
const tool = (name: string) => join(root, 'node_modules', '.bin', name)

interface Check {
  command: string[]
  /**
   * Whether its output counts its own passes and failures. It is shown as it comes, and starts when others
   * have ended.
   */
  hasCounts?: boolean
  /** Whether it waits for the network so long that the tests start meanwhile. */
  isSlow?: boolean
  /** Whether it runs only when it is named. */
  isOptional?: boolean
}

const checks: Record<string, Check> = {
  // Its packages come over the network: it starts first.
  'agent types': { command: [bun, 'scripts/check-agent-plugins.ts'], isSlow: true },
  build: { command: [bun, 'scripts/build.ts'] },
  format: { command: [tool('biome'), 'check', '--error-on-warnings', root] },
  types: { command: [tool('tsc'), '--noEmit', '--project', root] },
  docs: { command: [bun, 'scripts/generate-docs.ts', '--check'] },
  tests: { command: testCommand(), hasCounts: true },
  // The tests, which also write down how long each file takes.
  timings: { command: [...testCommand(), '--update-timings'], hasCounts: true, isOptional: true },
}

// Tests start real processes; on a busy machine one may take much longer than Bun's five seconds. Two workers
// more than there are processors, because a test that waits uses none.
function testCommand(): string[] {
  const workers = availableParallelism() + 2
  const longestFirst = ['--timings', join(root, 'test', 'timings.json')]
  return [bun, 'test', `--parallel=${workers}`, '--no-isolate', '--timeout', '120000', ...longestFirst]
}

async function runCheck(name: string, env: Record<string, string | undefined>): Promise<Verdict> {
  const { command, hasCounts } = findCheck(name)
  if (hasCounts) console.log(`\n# ${name}: kill points and random stories, ${rotationTitle}`)
  const child = Bun.spawn(command, { cwd: root, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const read = async (stream: ReadableStream<Uint8Array>, screen: NodeJS.WriteStream) => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const part of stream) {
      text += decoder.decode(part, { stream: true })
      if (hasCounts) screen.write(part)
    }
    return text
  }
  const [stdout, stderr] = await Promise.all([
    read(child.stdout, process.stdout),
    read(child.stderr, process.stderr),
  ])
  const isOk = (await child.exited) === 0
  // Bun writes its summary to stderr; stdout is what tests print.
  if (hasCounts) return readVerdict(stderr, isOk)
  console.log(`\n# ${name}\n${stdout}${stderr}`.trimEnd())
  return isOk ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

function findCheck(name: string): Check {
  const check = checks[name]
  if (check !== undefined) return check
  throw new Error(`No check is called ${name}. There are: ${Object.keys(checks).join(', ')}.`)
}

/** Runs the checks side by side, and those that count, the tests, when the quick ones have ended. */
async function runChecks(names: string[]): Promise<[name: string, verdict: Verdict][]> {
  const directory = makeRunDirectory(process.pid)
  const colour = process.stderr.isTTY ? { FORCE_COLOR: '1' } : {}
  const env = { ...process.env, ...colour }
  const testEnv = {
    ...env,
    TMPDIR: directory,
    ENTIRE_TEST_DISK: tmpdir(),
    ENTIRE_TEST_BUILT: '1',
    NODE_EXTRA_CA_CERTS: undefined,
  }
  try {
    const running = new Map<string, Promise<Verdict>>()
    for (const name of names) {
      const { hasCounts } = findCheck(name)
      const quick = [...running].filter(([other]) => !findCheck(other).isSlow).map(([, ended]) => ended)
      if (hasCounts) await Promise.all(quick)
      running.set(name, runCheck(name, hasCounts ? testEnv : env))
    }
    return await Promise.all(
      [...running].map(async ([name, ended]) => [name, await ended] as [string, Verdict]),
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const chosen = process.argv.slice(2)
const usual = Object.keys(checks).filter((name) => !findCheck(name).isOptional)
const verdicts = await runChecks(chosen.length > 0 ? chosen : usual)
const total = addVerdicts(verdicts.map(([, verdict]) => verdict))
const broken = verdicts.filter(([, verdict]) => verdict.failed > 0).map(([name]) => name)
if (broken.length > 0) console.log(`\nFailed: ${broken.join(', ')}`)
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 ? 0 : 1)
