// Waits for a condition, with a time limit and a message that says what did not happen.
const limitMs = 60_000

/** Without a problem of its own, the message shows the code of the condition. */
export async function until(isTrue: () => boolean | Promise<boolean>, problem?: () => string): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isTrue())) {
    if (performance.now() > deadline)
      throw new Error(problem?.() ?? `Waited ${limitMs / 1000} s in vain for ${isTrue.toString()}`)
    await Bun.sleep(2)
  }
}
