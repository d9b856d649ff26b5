// Questions of extensions, put to the person at the terminal. Where there is none, they are dismissed.
import type { AnswerQuestion } from '../../extensions/headless/ui/dialogs.ts'
import { choose } from '../ask.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'

export function answerAtTerminal(cli: Cli): AnswerQuestion | undefined {
  if (!cli.interactive) return undefined
  return async (question) => {
    const [message, choices] =
      question.kind === 'pick'
        ? [question.title, question.items.map(({ id, label, desc }) => ({ value: id, label: desc ? `${label}: ${desc}` : label }))]
        : [question.prompt, question.choices.map((choice) => ({ value: choice, label: choice }))]
    const from = question.extension === '' ? '' : `[${clean(question.extension)}] `
    const shown = choices.map(({ value, label }) => ({ value, label: clean(label) }))
    return await choose(cli, { message: `${from}${clean(message)}`, otherwise: 'Run it at a terminal.' }, shown)
  }
}
