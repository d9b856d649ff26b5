// Findings for people: stuck sessions in the words they know, then everything else.
import type { Cli } from '../context.ts'
import { paint, type Style } from '../render/colour.ts'
import { clean } from '../render/text.ts'
import type { Finding, Severity } from './finding.ts'

const signs: Record<Severity, { sign: string; style: Style }> = {
  error: { sign: '✕', style: 'red' },
  warning: { sign: '!', style: 'yellow' },
  info: { sign: '·', style: 'dim' },
}

export function printFindings(cli: Cli, findings: Finding[]): void {
  const stuck = findings.filter(isStuckSession)
  cli.out(stuck.length === 0 ? 'No stuck sessions found.' : `Found ${stuck.length} stuck session(s):`)
  for (const { detail } of stuck) {
    cli.out()
    for (const line of detail) cli.out(`  ${clean(line)}`)
  }
  for (const finding of findings.filter((candidate) => !isStuckSession(candidate))) {
    const { sign, style } = signs[finding.severity]
    cli.out()
    cli.out(`${paint(cli, style, sign)} ${clean(finding.title)}`)
    for (const line of finding.detail) cli.out(`  ${clean(line)}`)
    cli.out(`  ${paint(cli, 'cyan', 'fix:')} ${clean(finding.fix)}`)
  }
}

export function isStuckSession({ id }: Finding): boolean {
  return id === 'stuck-session'
}

export function printDone(cli: Cli, [first = '', ...rest]: string[]): void {
  cli.out(`  -> ${clean(first)}`)
  for (const line of rest) cli.out(`     ${clean(line)}`)
}
