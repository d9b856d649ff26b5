// Questions to the user, one at a time. Where nobody can be asked, everything is dismissed.

export interface PickerItem {
  id: string
  label: string
  desc?: string
}

export type Question =
  | { kind: 'pick'; title: string; items: PickerItem[]; extension: string }
  | { kind: 'ask'; prompt: string; choices: string[]; extension: string }

/** The id of an item, or one of the choices; undefined when the user would not. Aborted: nobody waits for it any more. */
export type AnswerQuestion = (question: Question, signal: AbortSignal) => Promise<string | undefined>

export type Dialogs = ReturnType<typeof createDialogs>

export function createDialogs(answer: AnswerQuestion | undefined) {
  let last: Promise<unknown> = Promise.resolve()
  const fits = (question: Question, chosen: string | undefined) =>
    question.kind === 'pick' ? question.items.some(({ id }) => id === chosen) : question.choices.includes(chosen ?? '')
  return {
    canAsk: answer !== undefined,
    async put(question: Question, signal: AbortSignal): Promise<string | undefined> {
      if (!answer) return undefined
      const mine = last.then(async () => {
        if (signal.aborted) return undefined
        const chosen = await Promise.race([answer(question, signal), untilAborted(signal)])
        return fits(question, chosen) ? chosen : undefined
      })
      last = mine.catch(() => {})
      return await mine
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
}
