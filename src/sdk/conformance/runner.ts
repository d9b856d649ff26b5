// A rule of the protocol: what is to be tried, and what it means when it does not hold.
import type { Capability } from '../../protocol/external-agent/messages.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { Broken, type Failure } from './broken.ts'
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

// Some rules of many, by name or by the first part of their names, with everything they need.

interface ChoosableRule {
  id: string
  needs?: string[]
}

/** `first`: the rule that all others depend on. */
export function chooseRules<Rule extends ChoosableRule>(
  all: Rule[],
  only: string[] | undefined,
  first: string,
): Rule[] {
  if (only === undefined) return all
  const chosen = new Set([first])
  const choose = ({ id, needs = [] }: ChoosableRule) => {
    chosen.add(id)
    for (const rule of all) if (needs.includes(rule.id)) choose(rule)
  }
  for (const rule of all)
    if (only.some((name) => rule.id === name || rule.id.startsWith(`${name}/`))) choose(rule)
  return all.filter(({ id }) => chosen.has(id))
}

// Tries several rules at a time, and tells the results in the order of the rules all the same.

type Tried = { id: string; needs?: string[] }

/** A rule waits for those it needs, and every rule for the first one: what is tried at all depends on what that learns. */
export async function inLanes<Rule extends Tried>(
  lanes: number,
  rules: Rule[],
  tryRule: (rule: Rule, results: Map<string, Result>) => Promise<Result>,
  onResult: ((result: Result) => void) | undefined,
  firstId: string,
): Promise<Result[]> {
  const results = new Map<string, Result>()
  const started = new Map<string, Promise<Result>>()
  const free: (() => void)[] = []
  let busy = 0
  const start = async (rule: Rule): Promise<Result> => {
    const first = rules.findIndex(({ id }) => id === firstId)
    const before = [
      ...rules.slice(0, rules.indexOf(rule) > first ? first + 1 : 0).map(({ id }) => id),
      ...(rule.needs ?? []),
    ]
    await Promise.all(before.map((id) => started.get(id)))
    if (busy >= lanes) await new Promise<void>((resolve) => free.push(resolve))
    busy += 1
    try {
      const result = await tryRule(rule, results)
      results.set(rule.id, result)
      return result
    } finally {
      busy -= 1
      free.shift()?.()
    }
  }
  for (const rule of rules) started.set(rule.id, start(rule))
  const settled = Promise.allSettled(started.values())
  for (const promise of started.values()) await promise.then(onResult, () => {})
  // One that cannot be tried ends the check, but not before the others have ended: they must not be left behind working.
  const failed = (await settled).find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return rules.map(({ id }) => results.get(id) as Result)
}

// Tries one rule and says what came of it, the same for plugins and for extensions.

type RuleHeading = Pick<Rule, 'id' | 'title' | 'level'>

/** `run` throws `Broken`; a text says why the rule could not be tried. */
export async function tryRule(
  rule: RuleHeading,
  run: () => Promise<string | undefined> | Promise<void>,
): Promise<Result> {
  const start = performance.now()
  const about = { id: rule.id, title: rule.title }
  const ms = () => Math.round(performance.now() - start)
  try {
    const reason = await run()
    return reason === undefined
      ? { ...about, status: 'passed', ms: ms() }
      : { ...skip(rule, reason), ms: ms() }
  } catch (error) {
    if (error instanceof EntireError) throw error
    if (!(error instanceof Broken))
      throw new Error(`The rule ${rule.id} could not be tried: ${messageOf(error)}`, { cause: error })
    return { ...about, status: rule.level === 'must' ? 'failed' : 'warned', ms: ms(), failure: error.failure }
  }
}

export function skip(rule: RuleHeading, reason: string): Result {
  return { id: rule.id, title: rule.title, status: 'skipped', ms: 0, reason }
}
