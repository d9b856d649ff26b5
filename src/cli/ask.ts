// Questions to the person at the terminal. The prompt library is loaded with the first question; ACCESSIBLE=1 makes its prompts plain.
/** False when the answer is no or the question was left. */
export async function confirm(message: string): Promise<boolean> {
  const { confirm: ask, isCancel } = await import('@clack/prompts')
  const answer = await ask({ message, initialValue: false })
  return !isCancel(answer) && answer
}

export interface Choice {
  value: string
  label: string
}

/** Undefined when the question was left. */
export async function choose(message: string, choices: Choice[], preselected: string[]): Promise<string[] | undefined> {
  const { isCancel, multiselect } = await import('@clack/prompts')
  const answer = await multiselect({ message, options: choices, initialValues: preselected, required: true })
  return isCancel(answer) ? undefined : answer
}
