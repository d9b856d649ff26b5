// Finds problems with all checks of `entire doctor`, prints the findings, fixes what can be fixed, and checks
// again.

import { EntireError, messageOf } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { countOf } from '../../std/plural.ts'
import { choose, confirm } from '../ask.ts'
import { type Cli, requireRepo } from '../context.ts'
import { clean, paint, type Style } from '../render/text.ts'
import { runChecks } from './all-checks.ts'
import { type Finding, findingJson, isWrong, openDoctorRun, type Remedy, type Severity } from './finding.ts'

export interface DoctorFlags {
  force?: boolean
  json?: boolean
}

/** True when there are no problems, or none are left. */
export async function findAndFix(cli: Cli, flags: DoctorFlags): Promise<boolean> {
  // Stays open until the end: remedies read through it.
  await using run = openDoctorRun(cli, requireRepo(cli, 'doctor'))
  const findings = await runChecks(run)
  const left = await (flags.json ? answerJson : answerText)(cli, findings, flags.force === true)
  return !left.some(isWrong)
}

/** Returns the findings that are left. */
async function answerText(cli: Cli, findings: Finding[], force: boolean): Promise<Finding[]> {
  printFindings(cli, findings)
  if (fixableFindings(findings).length === 0) return summarise(cli, findings)
  if (!force && !cli.interactive) {
    cli.note('hint: `entire doctor --force` fixes what can be fixed.')
    return summarise(cli, findings)
  }
  if (force) {
    cli.out()
    await fixAll(findings, ({ lines }) => printDone(cli, lines))
  } else await fixAsking(cli, findings)
  return summarise(cli, await runChecksAgain(cli))
}

function summarise(cli: Cli, left: Finding[]): Finding[] {
  const count = left.filter(isWrong).length
  cli.out()
  cli.out(count === 0 ? '✓ No problems found.' : `${countOf(count, 'problem')} left.`)
  return left
}

async function answerJson(cli: Cli, findings: Finding[], force: boolean): Promise<Finding[]> {
  const noteFailure = ({ hasWorked, lines }: Outcome) => {
    if (!hasWorked) cli.note(lines.map(clean).join(' '))
  }
  const fixed = force ? await fixAll(findings, noteFailure) : []
  const left = fixed.length === 0 ? findings : await runChecksAgain(cli)
  cli.process.stdout.write(
    formatJson({
      ok: !left.some(isWrong),
      findings: left.map(findingJson),
      fixed: fixed.map(({ finding, lines }) => ({ ...findingJson(finding), done: lines.join('\n') })),
    }),
  )
  return left
}

/** In a new run: the first one has cached what it read. */
async function runChecksAgain(cli: Cli): Promise<Finding[]> {
  await using run = openDoctorRun(cli, requireRepo(cli, 'doctor'))
  return await runChecks(run)
}

function fixableFindings(findings: Finding[]): Finding[] {
  return findings.filter((finding) => isWrong(finding) && finding.remedies.length > 0)
}

interface FixedFinding {
  finding: Finding
  lines: string[]
}

/**
 * Applies the first remedy of each finding. A remedy that fails does not keep the others from being applied.
 */
async function fixAll(findings: Finding[], report: (outcome: Outcome) => void): Promise<FixedFinding[]> {
  const fixed: FixedFinding[] = []
  for (const finding of fixableFindings(findings)) {
    const outcome = await apply(finding.remedies[0] as Remedy)
    report(outcome)
    if (outcome.hasWorked) fixed.push({ finding, lines: outcome.lines })
  }
  return fixed
}

/** Asks about each finding; ends when the user leaves a question. */
async function fixAsking(cli: Cli, findings: Finding[]): Promise<void> {
  for (const finding of fixableFindings(findings)) {
    cli.out()
    const remedy = await askForRemedy(cli, finding)
    if (remedy === 'left') return cli.note('Stopped. Nothing else was changed.')
    printDone(cli, remedy === 'skip' ? ['Skipped'] : (await apply(remedy)).lines)
  }
}

const noTerminalHint = 'Run `entire doctor --force`.'

async function askForRemedy(cli: Cli, finding: Finding): Promise<Remedy | 'skip' | 'left'> {
  const { remedies, title, subject } = finding
  const [only] = remedies
  if (!isStuckSession(finding) && only !== undefined)
    return (await confirm(cli, { message: `${clean(title)}\n${only.label}?`, noTerminalHint }))
      ? only
      : 'skip'
  const labels = [...remedies.map(({ label }) => label), 'Skip']
  const question = { message: `Fix session ${clean(subject ?? '')}?`, noTerminalHint }
  const answer = await choose(
    cli,
    question,
    labels.map((label) => ({ value: label, label })),
  )
  if (answer === undefined) return 'left'
  return remedies.find(({ label }) => label === answer) ?? 'skip'
}

interface Outcome {
  hasWorked: boolean
  lines: string[]
}

async function apply(remedy: Remedy): Promise<Outcome> {
  try {
    return { hasWorked: true, lines: await remedy.apply() }
  } catch (error) {
    if (!(error instanceof EntireError)) throw error
    const hint = error.hint === undefined ? [] : [error.hint]
    return { hasWorked: false, lines: [`Failed: ${messageOf(error)}`, ...hint] }
  }
}

const signs: Record<Severity, { sign: string; style: Style }> = {
  error: { sign: '✕', style: 'red' },
  warning: { sign: '!', style: 'yellow' },
  info: { sign: '·', style: 'dim' },
}

/** Stuck sessions first, in a list of their own. */
function printFindings(cli: Cli, findings: Finding[]): void {
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

function isStuckSession({ id }: Finding): boolean {
  return id === 'stuck-session'
}

function printDone(cli: Cli, [first = '', ...rest]: string[]): void {
  cli.out(`  -> ${clean(first)}`)
  for (const line of rest) cli.out(`     ${clean(line)}`)
}
