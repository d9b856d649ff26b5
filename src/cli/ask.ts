// Asks the person at the terminal.
//
// The prompt library is loaded with the first question. With ACCESSIBLE=1, questions and answers are plain
// lines instead, which suits screen readers, dumb terminals and pipes.

import { readSync } from 'node:fs'
import { EntireError, isErrno } from '../std/errors.ts'
import type { Cli } from './context.ts'
import { isTerminal } from './streams.ts'

export interface TerminalQuestion {
  message: string
  /** What follows from the answer. */
  detail?: string
  /** How to give the answer on the command line when there is no terminal. */
  noTerminalHint: string
}

export interface Choice<Value extends string = string> {
  value: Value
  label: string
}

/** False when the answer is no or the question was cancelled. */
export async function confirm(cli: Cli, question: TerminalQuestion): Promise<boolean> {
  return (await confirmOrCancel(cli, question)) === true
}

/** Undefined when the question was cancelled. */
export async function confirmOrCancel(cli: Cli, question: TerminalQuestion): Promise<boolean | undefined> {
  requireTerminal(cli, question)
  if (isPlain(cli)) {
    const line = await askLine(cli, `${wording(question)} [y/N]`)
    return line === undefined ? undefined : /^y(?:es)?$/i.test(line)
  }
  const { confirm: ask, isCancel } = await loadPrompts()
  const answer = await ask({ message: wording(question), initialValue: false })
  return isCancel(answer) ? undefined : answer
}

/** Undefined when the question was cancelled. */
export async function choose<Value extends string>(
  cli: Cli,
  question: TerminalQuestion,
  choices: Choice<Value>[],
): Promise<Value | undefined> {
  requireTerminal(cli, question)
  if (isPlain(cli)) return (await askNumbers(cli, question, { choices, label: 'Number' }))?.[0]
  const { isCancel, select } = await loadPrompts()
  const options: Choice[] = choices
  const answer = await select({ message: wording(question), options, maxItems: 15 })
  return isCancel(answer) ? undefined : choices.find((choice) => choice.value === answer)?.value
}

/** Undefined when the question was cancelled; never empty. */
export async function chooseMany(
  cli: Cli,
  question: TerminalQuestion,
  choices: Choice[],
  preselected: string[] = [],
): Promise<string[] | undefined> {
  requireTerminal(cli, question)
  if (isPlain(cli)) {
    const proposal = choices.flatMap(({ value }, index) => (preselected.includes(value) ? [index + 1] : []))
    const label = `Numbers${proposal.length > 0 ? ` [${proposal.join(' ')}]` : ''}`
    const answer = await askNumbers(cli, question, { choices, label, proposal: preselected })
    return answer && answer.length > 0 ? answer : undefined
  }
  const { isCancel, multiselect } = await loadPrompts()
  const answer = await multiselect({
    message: wording(question),
    options: choices,
    initialValues: preselected,
    required: true,
  })
  return isCancel(answer) ? undefined : answer
}

/** Undefined when the question was cancelled, or nothing was typed. */
export async function askText(cli: Cli, question: TerminalQuestion): Promise<string | undefined> {
  requireTerminal(cli, question)
  if (isPlain(cli)) return (await askLine(cli, wording(question))) || undefined
  const { isCancel, text } = await loadPrompts()
  const answer = await text({ message: wording(question) })
  return isCancel(answer) ? undefined : answer?.trim() || undefined
}

/** The same for a text that must not appear on the screen. */
export async function askHidden(cli: Cli, question: TerminalQuestion): Promise<string | undefined> {
  requireTerminal(cli, question)
  if (!isTerminal(0)) return (await askLine(cli, wording(question))) || undefined
  const { isCancel, password } = await loadPrompts()
  const answer = await password({ message: wording(question) })
  return isCancel(answer) ? undefined : answer || undefined
}

async function loadPrompts() {
  const prompts = await import('@clack/prompts')
  // Ctrl-D cancels, as in other programs.
  prompts.updateSettings({ aliases: { '\x04': 'cancel' } })
  return prompts
}

interface NumberedList<Value extends string> {
  choices: Choice<Value>[]
  /** Stands before the cursor. */
  label: string
  /** The answer that an empty line gives. */
  proposal?: Value[]
}

async function askNumbers<Value extends string>(
  cli: Cli,
  question: TerminalQuestion,
  { choices, label, proposal = [] }: NumberedList<Value>,
): Promise<Value[] | undefined> {
  cli.note(wording(question))
  for (const [index, choice] of choices.entries()) cli.note(`  ${index + 1}. ${choice.label}`)
  for (;;) {
    const answer = await askLine(cli, label)
    if (answer === undefined) return undefined
    if (answer === '') return proposal.length > 0 ? proposal : undefined
    const chosen = answer.split(/[\s,]+/).map((number) => choices[Number(number) - 1]?.value)
    if (chosen.every((value) => value !== undefined)) return chosen
    cli.note(`Please answer with a number from 1 to ${choices.length}, or with an empty line to cancel.`)
  }
}

function wording({ message, detail }: TerminalQuestion): string {
  return detail === undefined ? message : `${message}\n${detail}`
}

// Single keys can be read only from a terminal; scripted answers come line by line.
function isPlain({ env }: Cli): boolean {
  return !['', '0', 'false'].includes(env.ACCESSIBLE ?? '') || env.TERM === 'dumb' || !isTerminal(0)
}

function requireTerminal(cli: Cli, { message, noTerminalHint }: TerminalQuestion): void {
  if (!cli.interactive)
    throw new EntireError('no-terminal', `Cannot ask without a terminal: ${message}`, {
      hint: noTerminalHint,
    })
}

/** Undefined at the end of the input. */
export async function askLine(cli: Cli, question: string): Promise<string | undefined> {
  cli.process.stderr.write(`${question}: `)
  const bytes: number[] = []
  const byte = Buffer.alloc(1)
  for (;;) {
    const read = readByte(byte)
    if (read === 0) {
      cli.note('')
      return undefined
    }
    if (read === 1 && byte[0] === 10) return Buffer.from(bytes).toString('utf8').trim()
    if (read === 1) bytes.push(byte[0] as number)
    else await Bun.sleep(10)
  }
}

// -1: nothing to read yet, on an input that another process made non-blocking.
function readByte(byte: Buffer): number {
  try {
    return readSync(0, byte)
  } catch (error) {
    if (isErrno(error, 'EAGAIN')) return -1
    if (isErrno(error, 'EOF')) return 0
    throw error
  }
}
