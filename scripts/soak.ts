// Tries every kill point and many more random stories than `npm run check` does: `npm run soak`, for about an
// hour.
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeRunDirectory } from '../test/support/run-directory.ts'

const root = join(import.meta.dir, '..')
/** The tests that use `test/support/rotation.ts`. */
const tests = [
  'test/faults/kill.test.ts',
  'test/faults/bad-command-input.test.ts',
  'test/faults/garbage.test.ts',
  'test/faults/group-kill.test.ts',
  'test/faults/not-regular-files.test.ts',
  'test/faults/orphans.test.ts',
  'test/faults/races.test.ts',
  'test/faults/repack.test.ts',
  'test/e2e/clean-killed.test.ts',
  'test/e2e/rewind-killed.test.ts',
  'test/properties',
  'samples',
  'src/redact',
  'src/sdk/scaffold',
  'src/agents/shared',
]

const seed = process.env.ENTIRE_TEST_SEED ?? String(Date.now() % 2 ** 31)
console.log(`Seed ${seed}; ENTIRE_TEST_SEED=${seed} npm run soak repeats this run.`)

const directory = makeRunDirectory(process.pid)
const child = Bun.spawn([process.execPath, 'test', '--parallel', '--timeout', '3600000', ...tests], {
  cwd: root,
  env: {
    ...process.env,
    TMPDIR: directory,
    ENTIRE_TEST_DISK: tmpdir(),
    ENTIRE_TEST_BUILT: '1',
    ENTIRE_TEST_SOAK: '1',
    ENTIRE_TEST_SEED: seed,
  },
  stdin: 'ignore',
  stdout: 'inherit',
  stderr: 'pipe',
})

const startedAt = Date.now()
const counts = { pass: 0, fail: 0 }
const progress = setInterval(() => {
  const minutes = Math.round((Date.now() - startedAt) / 60_000)
  console.log(`${minutes} min: ${counts.pass} passed, ${counts.fail} failed`)
}, 60_000)
const decoder = new TextDecoder()
for await (const part of child.stderr) {
  const text = decoder.decode(part, { stream: true })
  process.stderr.write(text)
  for (const [, outcome] of text.matchAll(/\((pass|fail)\)/g)) counts[outcome as 'pass' | 'fail'] += 1
}
clearInterval(progress)
rmSync(directory, { recursive: true, force: true })
console.log(`Seed ${seed}: ${counts.pass} passed, ${counts.fail} failed`)
process.exit(await child.exited)
