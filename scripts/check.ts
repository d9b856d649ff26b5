// Everything that must hold before a commit, in one run: `npm run check`. The last line is the verdict, `N passed, N failed`.
import { join } from 'node:path'
import { addVerdicts, readVerdict, type Verdict } from './check-verdict.ts'

const root = join(import.meta.dir, '..')
const bun = process.execPath
const tool = (name: string) => join(root, 'node_modules', '.bin', name)

/** Each check: its command, and whether its output counts its own passes and failures. */
const checks: Record<string, { command: string[]; counts?: boolean }> = {
  format: { command: [tool('biome'), 'check', '--error-on-warnings', root] },
  types: { command: [tool('tsc'), '--noEmit', '--project', root] },
  // What runs inside other agents is checked against their types, apart from the rest.
  'agent types': { command: [bun, 'scripts/check-agent-plugins.ts'] },
  docs: { command: [bun, 'scripts/generate-docs.ts', '--check'] },
  build: { command: [bun, 'scripts/build.ts'] },
  // Tests start real processes; on a busy machine one may take much longer than Bun's five seconds.
  tests: { command: [bun, 'test', '--parallel', '--timeout', '120000'], counts: true },
}

async function runCheck(name: string): Promise<Verdict> {
  const check = checks[name]
  if (check === undefined)
    throw new Error(`No check is called ${name}. There are: ${Object.keys(checks).join(', ')}.`)
  console.log(`\n# ${name}`)
  const colour = process.stderr.isTTY ? { FORCE_COLOR: '1' } : {}
  const child = Bun.spawn(check.command, {
    cwd: root,
    env: { ...process.env, ...colour },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
  })
  let output = ''
  for await (const part of child.stderr.pipeThrough(new TextDecoderStream())) {
    process.stderr.write(part)
    output += part
  }
  const ok = (await child.exited) === 0
  const single = ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
  return check.counts ? readVerdict(output, ok) : single
}

const chosen = process.argv.slice(2)
const verdicts: [string, Verdict][] = []
for (const name of chosen.length > 0 ? chosen : Object.keys(checks))
  verdicts.push([name, await runCheck(name)])

const total = addVerdicts(verdicts.map(([, verdict]) => verdict))
const broken = verdicts.filter(([, verdict]) => verdict.failed > 0).map(([name]) => name)
if (broken.length > 0) console.log(`\nFailed: ${broken.join(', ')}`)
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 ? 0 : 1)
