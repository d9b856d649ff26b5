import { expect, test } from 'bun:test'
import { addVerdicts, readVerdict } from './check-verdict.ts'

const summary = (pass: number, fail: number, more = '') =>
  ` ${pass} pass\n ${fail} fail\n${more} 9 expect() calls\nRan 12 tests across 3 files. [1.2s]\n`

test.each([
  ['a green run', summary(12, 0), true, { passed: 12, failed: 0 }],
  ['a red run', summary(10, 2), false, { passed: 10, failed: 2 }],
  ['an error outside the tests is a failure', summary(12, 0, ' 1 error\n'), false, { passed: 12, failed: 1 }],
  ['a red exit code with a green summary is a failure', summary(12, 0), false, { passed: 12, failed: 1 }],
  ['a run that died is a failure', 'Segmentation fault\n', false, { passed: 0, failed: 1 }],
  ['no tests at all is a failure', '', true, { passed: 0, failed: 1 }],
  [
    'colours do not hide the counts',
    '\x1b[32m 3 pass\x1b[0m\n\x1b[2m 0 fail\x1b[0m\nRan 3 tests across 1 file.\n',
    true,
    { passed: 3, failed: 0 },
  ],
])('%s', (_name, output, ok, verdict) => {
  expect(readVerdict(output, ok)).toEqual(verdict)
})

test('verdicts add up', () => {
  expect(addVerdicts([readVerdict(summary(3, 1), false), { passed: 1, failed: 0 }])).toEqual({
    passed: 4,
    failed: 1,
  })
})
