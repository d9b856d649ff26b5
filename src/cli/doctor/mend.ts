// Mending: every finding that can be mended is asked about, or with --force just mended. What fails is said, and the rest goes on.
import { EntireError, messageOf } from '../../std/errors.ts'
import { choose, confirm } from '../ask.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { type Finding, isWrong, type Remedy } from './finding.ts'
import { isStuckSession, printDone } from './report.ts'

export interface Mended {
  finding: Finding
  done: string[]
}

export function mendable(findings: Finding[]): Finding[] {
  return findings.filter((finding) => isWrong(finding) && finding.remedies.length > 0)
}

/** `tell` hears of everything that was done. */
export async function mendAll(findings: Finding[], tell: (done: string[], worked: boolean) => void): Promise<Mended[]> {
  const mended: Mended[] = []
  for (const finding of mendable(findings)) {
    const done = await apply(finding.remedies[0] as Remedy)
    tell(done.lines, done.worked)
    if (done.worked) mended.push({ finding, done: done.lines })
  }
  return mended
}

/** Ends when the person leaves a question. */
export async function mendAsking(cli: Cli, findings: Finding[]): Promise<void> {
  for (const finding of mendable(findings)) {
    cli.out()
    const remedy = await ask(cli, finding)
    if (remedy === 'left') return cli.note('Left; nothing else was changed.')
    printDone(cli, remedy === 'skip' ? ['Skipped'] : (await apply(remedy)).lines)
  }
}

const otherwise = 'Run `entire doctor --force`.'

async function ask(cli: Cli, { remedies, title, ...finding }: Finding): Promise<Remedy | 'skip' | 'left'> {
  const [only] = remedies
  if (!isStuckSession({ remedies, title, ...finding }) && only !== undefined)
    return (await confirm(cli, { message: `${clean(title)}\n${only.label}?`, otherwise })) ? only : 'skip'
  const labels = [...remedies.map(({ label }) => label), 'Skip']
  const question = { message: `Fix session ${clean(finding.subject ?? '')}?`, otherwise }
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
    return { worked: false, lines: [`Failed: ${messageOf(error)}`, ...(error.hint === undefined ? [] : [error.hint])] }
  }
}
