// A rule of the protocol: what is to be tried, and what it means when it does not hold.
import type { Capability } from '../../protocol/external-capabilities.ts'
import type { Failure } from './broken.ts'
import type { Trial } from './trial.ts'

export interface Rule {
  /** Stable: programs may refer to it. */
  id: string
  /** A sentence that is true of a plugin that keeps the rule. */
  title: string
  /** A caller depends on `must`; `should` is what a good plugin does, and is only warned about. */
  level: 'must' | 'should'
  /** Tried only where the capability is declared. */
  requires?: Capability
  /** Rules without which this one says nothing new: it is skipped when one of them is broken. */
  needs?: string[]
  /** Throws `Broken`. A text says why the rule could not be tried. */
  run(trial: Trial): Promise<string | undefined> | Promise<void>
}

export interface Result {
  id: string
  title: string
  status: 'passed' | 'failed' | 'warned' | 'skipped'
  ms: number
  /** Of a skipped rule: why. */
  reason?: string
  failure?: Failure
}
