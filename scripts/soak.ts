// Tries every kill point and many more random stories than `npm run check` does, and prints what was tried, what
// held and what was lost.
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeRunDirectory } from '../test/support/run-directory.ts'
import { type Figures, readFigures, type TrialKind, trialKinds } from '../test/support/trials.ts'

/** The tests that count trials of each kind. */
const tests: Record<TrialKind, string[]> = {
  kills: [
    'test/faults/kill.test.ts',
    'test/faults/group-kill.test.ts',
    'test/faults/orphans.test.ts',
    'test/e2e/clean-killed.test.ts',
    'test/e2e/rewind-killed.test.ts',
    'test/e2e/purge.test.ts',
  ],
  operations: ['test/properties', 'src/agents/shared/settings-installer-property.test.ts'],
  races: [
    'test/faults/races.test.ts',
    'test/faults/at-once.test.ts',
    'test/faults/repack.test.ts',
    'test/faults/team.test.ts',
  ],
  clones: ['test/faults/hostile-clones.test.ts'],
  branches: ['test/faults/forged-branches.test.ts'],
  secrets: ['src/redact', 'test/faults/planted-secrets.test.ts'],
}
/** Tests of which a check does a part: of no kind, run when no kind is named. */
const others = [
  'test/e2e/team.test.ts',
  'test/e2e/unended-turns.test.ts',
  'test/faults/any-agent-payload.test.ts',
  'test/faults/bad-command-input.test.ts',
  'test/faults/garbage.test.ts',
  'test/faults/not-regular-files.test.ts',
  'samples',
  'src/sdk/scaffold',
]
const allKinds = Object.keys(trialKinds) as TrialKind[]

const usage = `Usage: npm run soak -- [--quick] [kind ...]

Runs the long tests in full, for some hours, and prints for each kind what was
tried, what held and what was lost. Ends with 1 when anything was lost.

Kinds, all of them unless some are named; one trial of each is:
${allKinds.map((kind) => `  ${kind.padEnd(10)}  ${trialKinds[kind]}`).join('\n')}

  --quick   every kill point, and a tenth of the random stories
  --help    show this

ENTIRE_TEST_SEED=<number> repeats a run.`

function readArguments(): { kinds: TrialKind[]; isQuick: boolean } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const unknown = positionals.find((name) => !Object.hasOwn(trialKinds, name))
  if (unknown !== undefined) {
    console.error(`error: unknown kind: ${unknown}\nhint: There are: ${allKinds.join(', ')}.`)
    process.exit(2)
  }
  const kinds = allKinds.filter((kind) => positionals.length === 0 || positionals.includes(kind))
  return { kinds, isQuick: values.quick }
}

const { kinds, isQuick } = readArguments()
const seed = process.env.ENTIRE_TEST_SEED ?? String(Date.now() % 2 ** 31)
console.log(`Seed ${seed}; ENTIRE_TEST_SEED=${seed} npm run soak repeats this run.`)

const directory = makeRunDirectory(process.pid)
const figures = join(directory, 'figures.jsonl')
const files = [...kinds.flatMap((kind) => tests[kind]), ...(kinds.length === allKinds.length ? others : [])]
const child = Bun.spawn([process.execPath, 'test', '--parallel', '--timeout', '86400000', ...files], {
  cwd: join(import.meta.dir, '..'),
  env: {
    ...process.env,
    TMPDIR: directory,
    ENTIRE_TEST_DISK: tmpdir(),
    ENTIRE_TEST_BUILT: '1',
    ENTIRE_TEST_SOAK: '1',
    ENTIRE_TEST_SOAK_FACTOR: isQuick ? '0.1' : '1',
    ENTIRE_TEST_FIGURES: figures,
    ENTIRE_TEST_SEED: seed,
    NODE_EXTRA_CA_CERTS: undefined,
  },
  stdin: 'ignore',
  stdout: 'inherit',
  stderr: 'pipe',
})

const startedAt = Date.now()
const counts = { pass: 0, fail: 0 }
const progress = setInterval(() => console.log(progressLine()), 60_000)
const decoder = new TextDecoder()
for await (const part of child.stderr) {
  const text = decoder.decode(part, { stream: true })
  process.stderr.write(text)
  for (const [, outcome] of text.matchAll(/\((pass|fail)\)/g)) counts[outcome as 'pass' | 'fail'] += 1
}
clearInterval(progress)
const isOk = (await child.exited) === 0
const result = readFigures(figures, { hasEnded: true })
rmSync(directory, { recursive: true, force: true })
console.log(`\n${table(result).join('\n')}`)
console.log(`\nSeed ${seed}: ${counts.pass} tests passed, ${counts.fail} failed`)
// A kind without trials has not been tried.
const isWhole = kinds.every((kind) => (result.get(kind)?.tried ?? 0) > 0)
process.exit(isOk && isWhole && total(result).lost === 0 ? 0 : 1)

function progressLine(): string {
  const minutes = Math.round((Date.now() - startedAt) / 60_000)
  const { tried, lost } = total(readFigures(figures, { hasEnded: false }))
  return `${minutes} min: tried ${tried}, lost ${lost}; ${counts.pass} tests passed, ${counts.fail} failed`
}

function total(sums: Map<TrialKind, Figures>): Figures {
  const sum = { tried: 0, held: 0, lost: 0, excused: 0 }
  for (const one of sums.values())
    for (const key of Object.keys(sum) as (keyof Figures)[]) sum[key] += one[key]
  return sum
}

function table(sums: Map<TrialKind, Figures>): string[] {
  const none = { tried: 0, held: 0, lost: 0, excused: 0 }
  const cells = (name: string, { tried, held, lost }: Record<'tried' | 'held' | 'lost', unknown>) =>
    `${name.padEnd(10)}${[tried, held, lost].map((cell) => String(cell).padStart(10)).join('')}`
  const rows = kinds.map((kind) => `${cells(kind, sums.get(kind) ?? none)}   ${trialKinds[kind]}`)
  const { excused } = total(sums)
  const note = `${excused} of the secrets remained within the 1 % that is allowed: see docs/threat-model.md.`
  return [
    `${cells('', { tried: 'tried', held: 'held', lost: 'lost' })}   one trial is`,
    ...rows,
    cells('in all', total(sums)),
    ...(excused > 0 ? ['', note] : []),
  ]
}
