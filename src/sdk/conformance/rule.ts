// Defines a conformance rule: what is tried on a program, and what the author learns when the rule is broken.

export interface ConformanceRule<Trial, Requirement> {
  /** Stable: other programs refer to rules by id. */
  id: string
  /** A sentence that is true of a program that keeps the rule. */
  title: string
  /** A caller depends on `must`; breaking a `should` is only a warning. */
  level: 'must' | 'should'
  /** The rule is tried only on a program that declares or registers this. */
  requires?: Requirement
  /** Rules whose failure makes this one say nothing new: it is skipped when one of them has not passed. */
  needs?: string[]
  /** Judges what all other trials have left behind: tried after them, also when the first rule was broken. */
  isLast?: true
  /** Throws `BrokenRule`. A text says why the rule could not be tried. */
  run(trial: Trial): Promise<string | undefined> | Promise<void>
}

export interface RuleResult {
  id: string
  title: string
  status: 'passed' | 'failed' | 'warned' | 'skipped'
  ms: number
  /** Why a rule was skipped. */
  reason?: string
  failure?: Failure
}

export interface Failure {
  expected: string
  received: string
  /** What the author can do about it. */
  fix: string
}

export class BrokenRule extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(`expected ${failure.expected}, received ${failure.received}`)
    this.failure = failure
  }
}

/** Throws `BrokenRule` when the condition is false. */
export function hold(condition: boolean, failure: Failure): asserts condition {
  if (!condition) throw new BrokenRule(failure)
}
