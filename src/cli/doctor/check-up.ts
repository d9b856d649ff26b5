// One check-up: look, tell, mend, look again.
import { EntireError, messageOf } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { choose, confirm } from '../ask.ts'
import { type Cli, requireRepo } from '../context.ts'
import { clean, paint, type Style } from '../render/text.ts'
import { diagnose } from './diagnose.ts'
import { examine, type Finding, findingJson, isWrong, type Remedy, type Severity } from './examination.ts'

export interface CheckUpFlags {
  force?: boolean
  json?: boolean
}

/** True when nothing is wrong, or not any more. */
export async function runCheckUp(cli: Cli, flags: CheckUpFlags): Promise<boolean> {
  // Open until the end: remedies read through it.
  await using exam = examine(cli, requireRepo(cli, 'doctor'))
  const findings = await diagnose(exam)
  const left = await (flags.json ? answerJson : answerText)(cli, findings, flags.force === true)
  return !left.some(isWrong)
}

/** Seen, not assumed. */
async function diagnoseAgain(cli: Cli): Promise<Finding[]> {
  await using exam = examine(cli, requireRepo(cli, 'doctor'))
  return await diagnose(exam)
}

/** What is left. */
async function answerText(cli: Cli, findings: Finding[], force: boolean): Promise<Finding[]> {
  printFindings(cli, findings)
  const fixable = fixableFindings(findings)
  if (fixable.length === 0) return summarise(cli, findings)
  if (!force && !cli.interactive) {
    cli.note('hint: `entire doctor --force` mends what can be mended.')
    return summarise(cli, findings)
  }
  if (force) {
    cli.out()
    await fixAll(findings, (done) => printDone(cli, done))
  } else await fixAsking(cli, findings)
  return summarise(cli, await diagnoseAgain(cli))
}

function summarise(cli: Cli, left: Finding[]): Finding[] {
  const count = left.filter(isWrong).length
  cli.out()
  cli.out(count === 0 ? '✓ Nothing is wrong.' : `${count} finding(s) left.`)
  return left
}

async function answerJson(cli: Cli, findings: Finding[], force: boolean): Promise<Finding[]> {
  const mended = force
    ? await fixAll(findings, (done, worked) => (worked ? undefined : cli.note(done.map(clean).join(' '))))
    : []
  const left = mended.length === 0 ? findings : await diagnoseAgain(cli)
  const fixed = mended.map(({ finding, done }) => ({ ...findingJson(finding), done: done.join('\n') }))
  cli.process.stdout.write(formatJson({ ok: !left.some(isWrong), findings: left.map(findingJson), fixed }))
  return left
}

// Mending: every finding that can be mended is asked about, or with --force just mended. What fails is said, and the rest goes on.

export interface FixedFinding {
  finding: Finding
  done: string[]
}

export function fixableFindings(findings: Finding[]): Finding[] {
  return findings.filter((finding) => isWrong(finding) && finding.remedies.length > 0)
}

/** `tell` hears of everything that was done. */
export async function fixAll(
  findings: Finding[],
  tell: (done: string[], worked: boolean) => void,
): Promise<FixedFinding[]> {
  const mended: FixedFinding[] = []
  for (const finding of fixableFindings(findings)) {
    const done = await apply(finding.remedies[0] as Remedy)
    tell(done.lines, done.worked)
    if (done.worked) mended.push({ finding, done: done.lines })
  }
  return mended
}

/** Ends when the person leaves a question. */
export async function fixAsking(cli: Cli, findings: Finding[]): Promise<void> {
  for (const finding of fixableFindings(findings)) {
    cli.out()
    const remedy = await ask(cli, finding)
    if (remedy === 'left') return cli.note('Left; nothing else was changed.')
    printDone(cli, remedy === 'skip' ? ['Skipped'] : (await apply(remedy)).lines)
  }
}

const noTerminalHint = 'Run `entire doctor --force`.'

async function ask(cli: Cli, { remedies, title, ...finding }: Finding): Promise<Remedy | 'skip' | 'left'> {
  const [only] = remedies
  if (!isStuckSession({ remedies, title, ...finding }) && only !== undefined)
    return (await confirm(cli, { message: `${clean(title)}\n${only.label}?`, noTerminalHint }))
      ? only
      : 'skip'
  const labels = [...remedies.map(({ label }) => label), 'Skip']
  const question = { message: `Fix session ${clean(finding.subject ?? '')}?`, noTerminalHint }
  const answer = await choose(
    cli,
    question,
    labels.map((label) => ({ value: label, label })),
  )
  if (answer === undefined) return 'left'
  return remedies.find(({ label }) => label === answer) ?? 'skip'
}

async function apply(remedy: Remedy): Promise<{ worked: boolean; lines: string[] }> {
  try {
    return { worked: true, lines: await remedy.apply() }
  } catch (error) {
    if (!(error instanceof EntireError)) throw error
    return {
      worked: false,
      lines: [`Failed: ${messageOf(error)}`, ...(error.hint === undefined ? [] : [error.hint])],
    }
  }
}

// Findings for people: stuck sessions in the words they know, then everything else.

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
