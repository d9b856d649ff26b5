// How a rule says that it does not hold: what was expected, what came, and what the author can do about it.

export interface Failure {
  expected: string
  received: string
  fix: string
}

/** Thrown by a rule that does not hold. */
export class Broken extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(`expected ${failure.expected}, received ${failure.received}`)
    this.failure = failure
  }
}

export function hold(condition: boolean, failure: Failure): asserts condition {
  if (!condition) throw new Broken(failure)
}
