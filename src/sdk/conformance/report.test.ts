import { expect, test } from 'bun:test'
import { formatJunit, formatReportJson, formatResult, formatSkipped, formatVerdict } from './report.ts'
import type { RuleResult } from './rule.ts'

const failure = { expected: '"a" & <b>', received: 'nothing\u0000', fix: 'Do it.\nAll of it.' }
const results: RuleResult[] = [
  { id: 'info/name', title: 'The name is right', status: 'passed', ms: 12 },
  { id: 'detect/answers', title: 'It detects', status: 'failed', ms: 30, failure },
  { id: 'info/stable', title: 'It is stable', status: 'warned', ms: 5, failure },
  {
    id: 'parse-hook/events',
    title: 'It parses',
    status: 'skipped',
    ms: 0,
    reason: 'the capability hooks is not declared',
  },
]

test('the text has a line for each rule, three more for each failure, and the verdict last', () => {
  expect([...results.flatMap(formatResult), formatVerdict(results)]).toEqual([
    'ok   info/name: The name is right',
    'FAIL detect/answers: It detects',
    '       expected: "a" & <b>',
    '       received: nothing\u0000',
    '       fix:      Do it.\nAll of it.',
    'warn info/stable: It is stable',
    '       expected: "a" & <b>',
    '       received: nothing\u0000',
    '       fix:      Do it.\nAll of it.',
    'skip parse-hook/events: It parses (the capability hooks is not declared)',
    'Does not speak the protocol: 1 passed, 1 failed, 1 warned, 1 skipped.',
  ])
})

test('skipped rules are named, a line for each reason', () => {
  const skipped = { title: 'x', status: 'skipped', ms: 0 } as const
  const more = [...results, { ...skipped, id: 'a/b', reason: 'needs x' }]
  const last = { ...skipped, id: 'install-hooks/first', reason: 'the capability hooks is not declared' }
  expect(formatSkipped([...more, last])).toEqual([
    'skip parse-hook/events, install-hooks/first: the capability hooks is not declared',
    'skip a/b: needs x',
  ])
})

test('the JSON says whether the plugin is conformant; a warning does not count', () => {
  expect(JSON.parse(formatReportJson('/bin/x', results))).toMatchObject({
    executable: '/bin/x',
    conformant: false,
    counts: { passed: 1, failed: 1, warned: 1, skipped: 1 },
    results,
  })
  expect(JSON.parse(formatReportJson('/bin/x', [results[2]!])).conformant).toBe(true)
})

test('the XML is well-formed even when a plugin has printed control characters', () => {
  const xml = formatJunit('/bin/"x"', results)
  expect(xml).toContain(
    '<testsuite name="/bin/&quot;x&quot;" tests="4" failures="1" skipped="1" time="0.047">',
  )
  expect(xml).toContain(
    '<failure message="&quot;a&quot; &amp; &lt;b&gt;">expected: &quot;a&quot; &amp; &lt;b&gt;&#10;received: nothing\ufffd',
  )
  expect(xml).toContain('<skipped message="the capability hooks is not declared"/>')
  expect(xml).not.toContain('\u0000')
})
