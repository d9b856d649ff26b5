// A rule for extensions: what is to be tried, and what it means when it does not hold.
import type { Registration } from '../../protocol/extension.ts'
import type { Trial } from './trial.ts'

export interface Rule {
  /** Stable: programs may refer to it. */
  id: string
  /** A sentence that is true of an extension that keeps the rule. */
  title: string
  /** A host depends on `must`; `should` is what a good extension does, and is only warned about. */
  level: 'must' | 'should'
  /** Tried only where something of the kind is registered. */
  requires?: Registration
  /** Rules without which this one says nothing new: it is skipped when one of them is broken. */
  needs?: string[]
  /** Throws `Broken`. A text says why the rule could not be tried. */
  run(trial: Trial): Promise<string | undefined> | Promise<void>
}
