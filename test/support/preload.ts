// Prepares every test file: the same random input for everyone, temporary files in memory, quick starts of
// Node.
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { makeRunDirectory } from './run-directory.ts'

// A property that fails must fail for everyone. ENTIRE_TEST_SEED tries other input.
fc.configureGlobal({ seed: Number(process.env.ENTIRE_TEST_SEED ?? 20_261_116) })

// `scripts/check.ts` has set both. A run of `bun test` alone gets a directory that the next run removes.
if (process.env.ENTIRE_TEST_DISK === undefined) {
  process.env.ENTIRE_TEST_DISK = tmpdir()
  const isWorker = process.env.BUN_TEST_WORKER_ID !== undefined
  process.env.TMPDIR = makeRunDirectory(isWorker ? process.ppid : process.pid)
}

// Node reads every certificate at each start, which takes twice as long as the start itself. No test uses the
// network.
delete process.env.NODE_EXTRA_CA_CERTS
