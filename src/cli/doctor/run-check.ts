// One check-up: look, tell, mend, look again.
import { formatJson } from '../../std/json.ts'
import { type Cli, requireRepo } from '../context.ts'
import { clean } from '../render/text.ts'
import { diagnose } from './checks.ts'
import { examine } from './examination.ts'
import { type Finding, findingJson, isWrong } from './finding.ts'
import { mendAll, mendAsking, mendable } from './mend.ts'
import { printDone, printFindings } from './report.ts'

export interface CheckFlags {
  force?: boolean
  json?: boolean
}

/** True when nothing is wrong, or not any more. */
export async function runCheck(cli: Cli, flags: CheckFlags): Promise<boolean> {
  // Open until the end: remedies read through it.
  await using exam = examine(cli, requireRepo(cli, 'doctor'))
  const findings = await diagnose(exam)
  const left = await (flags.json ? answerJson : answerText)(cli, findings, flags.force === true)
  return !left.some(isWrong)
}

/** Seen, not assumed. */
async function lookAgain(cli: Cli): Promise<Finding[]> {
  await using exam = examine(cli, requireRepo(cli, 'doctor'))
  return await diagnose(exam)
}

/** What is left. */
async function answerText(cli: Cli, findings: Finding[], force: boolean): Promise<Finding[]> {
  printFindings(cli, findings)
  const fixable = mendable(findings)
  if (fixable.length === 0) return summarise(cli, findings)
  if (!force && !cli.interactive) {
    cli.note('hint: `entire doctor --force` mends what can be mended.')
    return summarise(cli, findings)
  }
  if (force) {
    cli.out()
    await mendAll(findings, (done) => printDone(cli, done))
  } else await mendAsking(cli, findings)
  return summarise(cli, await lookAgain(cli))
}

function summarise(cli: Cli, left: Finding[]): Finding[] {
  const count = left.filter(isWrong).length
  cli.out()
  cli.out(count === 0 ? '✓ Nothing is wrong.' : `${count} finding(s) left.`)
  return left
}

async function answerJson(cli: Cli, findings: Finding[], force: boolean): Promise<Finding[]> {
  const mended = force ? await mendAll(findings, (done, worked) => (worked ? undefined : cli.note(done.map(clean).join(' ')))) : []
  const left = mended.length === 0 ? findings : await lookAgain(cli)
  const fixed = mended.map(({ finding, done }) => ({ ...findingJson(finding), done: done.join('\n') }))
  cli.process.stdout.write(formatJson({ ok: !left.some(isWrong), findings: left.map(findingJson), fixed }))
  return left
}
