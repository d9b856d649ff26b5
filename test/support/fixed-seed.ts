// Before every test file: what fails must fail for everyone, so properties are tried with the same input everywhere. ENTIRE_TEST_SEED tries
// another.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.ENTIRE_TEST_SEED ?? 20_261_116) })
