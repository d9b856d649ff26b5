// Formats the results of a check as text for people, as JSON, and as JUnit XML for continuous integration.

import type { RuleResult } from './rule.ts'

const marks: Record<RuleResult['status'], string> = {
  passed: 'ok  ',
  failed: 'FAIL',
  warned: 'warn',
  skipped: 'skip',
}

/** The lines about one rule. */
export function formatResult(result: RuleResult): string[] {
  const reason = result.reason === undefined ? '' : ` (${result.reason})`
  const lines = [`${marks[result.status]} ${result.id}: ${result.title}${reason}`]
  if (result.failure === undefined) return lines
  const { expected, received, fix } = result.failure
  return [...lines, `       expected: ${expected}`, `       received: ${received}`, `       fix:      ${fix}`]
}

/** The rules that were not tried, a line for each reason. */
export function formatSkipped(results: RuleResult[]): string[] {
  const reasons = new Map<string, string[]>()
  for (const { id, status, reason = 'unknown' } of results)
    if (status === 'skipped') reasons.set(reason, [...(reasons.get(reason) ?? []), id])
  return [...reasons].map(([reason, ids]) => `skip ${ids.join(', ')}: ${reason}`)
}

function countResults(results: RuleResult[]): Record<RuleResult['status'], number> {
  const counts = { passed: 0, failed: 0, warned: 0, skipped: 0 }
  for (const { status } of results) counts[status] += 1
  return counts
}

export function formatVerdict(results: RuleResult[]): string {
  const { passed, failed, warned, skipped } = countResults(results)
  const details = [`${passed} passed`, `${failed} failed`, `${warned} warned`, `${skipped} skipped`].join(
    ', ',
  )
  return failed === 0 ? `Speaks the protocol: ${details}.` : `Does not speak the protocol: ${details}.`
}

export function formatReportJson(executable: string, results: RuleResult[]): string {
  const counts = countResults(results)
  return `${JSON.stringify({ executable, conformant: counts.failed === 0, counts, results }, null, 2)}\n`
}

/** Warnings count as passed, and carry their text as output. */
export function formatJunit(executable: string, results: RuleResult[]): string {
  const { failed, skipped } = countResults(results)
  const seconds = (ms: number) => (ms / 1000).toFixed(3)
  const total = seconds(results.reduce((sum, { ms }) => sum + ms, 0))
  const suite = `name="${escapeXml(executable)}" tests="${results.length}" failures="${failed}" skipped="${skipped}" time="${total}"`
  const cases = results.map((result) => {
    const details = result.failure
      ? `expected: ${result.failure.expected}\nreceived: ${result.failure.received}\nfix: ${result.failure.fix}`
      : ''
    const [group = ''] = result.id.split('/')
    const head = `    <testcase classname="${escapeXml(group)}" name="${escapeXml(`${result.id}: ${result.title}`)}" time="${seconds(result.ms)}"`
    const bodies: Record<RuleResult['status'], string> = {
      passed: '',
      failed: `<failure message="${escapeXml(result.failure?.expected ?? '')}">${escapeXml(details)}</failure>`,
      warned: `<system-out>${escapeXml(details)}</system-out>`,
      skipped: `<skipped message="${escapeXml(result.reason ?? '')}"/>`,
    }
    const body = bodies[result.status]
    return body === '' ? `${head}/>` : `${head}>${body}</testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite ${suite}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

/** XML cannot hold control characters, not even escaped. */
function escapeXml(text: string): string {
  const plain = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
  return plain
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
}
