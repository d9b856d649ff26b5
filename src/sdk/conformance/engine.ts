// Tries the rules of a protocol on a program, several at a time, each in a trial of its own.

import type { Environment } from '../../std/environment.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { BrokenRule, type ConformanceRule, type RuleResult } from './rule.ts'

export interface CheckOptions<Fixtures, Limits> {
  fixtures?: Fixtures
  /** The environment that the program inherits, apart from variables that point to files of the user. */
  env?: Environment
  limits?: Partial<Limits>
  /** Only rules with these ids or groups of ids, such as `hooks` or `info/name`, and the rules they need. */
  only?: string[]
  onResult?(result: RuleResult): void
}

export interface ConformanceRules<Trial, Requirement> {
  rules: ConformanceRule<Trial, Requirement>[]
  /**
   * Learns what the program can do: the rules after it wait for it, and are skipped when it has not passed.
   */
  firstRule: string
  /** Why rules with this requirement do not apply to the program. */
  whyNotApplicable(requirement: Requirement): string | undefined
  openTrial(): Trial
  closeTrial?(trial: Trial): Promise<void>
}

/** How many rules are tried at the same time. Most of the time is spent on starting processes. */
const lanes = 4

export async function tryRules<Trial, Requirement>(
  set: ConformanceRules<Trial, Requirement>,
  { only, onResult }: Pick<CheckOptions<unknown, unknown>, 'only' | 'onResult'>,
): Promise<RuleResult[]> {
  const rules = chooseRules(set, only)
  const results = new Map<string, RuleResult>()
  const started = new Map<string, Promise<RuleResult>>()
  const takeLane = makeLanes(lanes)
  const start = async (rule: ConformanceRule<Trial, Requirement>): Promise<RuleResult> => {
    await Promise.all(rulesBefore(rule, rules, set.firstRule).map((id) => started.get(id)))
    const leaveLane = await takeLane()
    try {
      const reason = whySkipped(rule, set, results)
      const result = reason === undefined ? await tryRule(rule, set) : skipped(rule, reason)
      results.set(rule.id, result)
      return result
    } finally {
      leaveLane()
    }
  }
  for (const rule of rules) started.set(rule.id, start(rule))
  const settled = Promise.allSettled(started.values())
  for (const promise of started.values()) await promise.then(onResult, () => {})
  // A rule that cannot be tried ends the check, but only after the others: none may go on in the background.
  const failed = (await settled).find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return rules.map(({ id }) => results.get(id) as RuleResult)
}

/** Warnings do not count against a program. */
export function isConformant(results: RuleResult[]): boolean {
  return results.every(({ status }) => status !== 'failed')
}

type RuleOrder = Pick<ConformanceRule<never, unknown>, 'id' | 'needs' | 'isLast'>

/** The rules that `only` names by id or group, the rules these need, and the first rule; in their order. */
function chooseRules<Rule extends RuleOrder>(
  { rules, firstRule }: { rules: Rule[]; firstRule: string },
  only: string[] | undefined,
): Rule[] {
  if (only === undefined) return rules
  const chosen = new Set([firstRule])
  const choose = ({ id, needs = [] }: Rule) => {
    chosen.add(id)
    for (const rule of rules) if (needs.includes(rule.id)) choose(rule)
  }
  for (const rule of rules)
    if (only.some((name) => rule.id === name || rule.id.startsWith(`${name}/`))) choose(rule)
  return rules.filter(({ id }) => chosen.has(id))
}

/**
 * Ids of the rules that must have ended before this one starts. Those before the first rule wait for none.
 */
function rulesBefore(rule: RuleOrder, rules: RuleOrder[], firstRule: string): string[] {
  if (rule.isLast) return rules.filter(({ isLast }) => !isLast).map(({ id }) => id)
  const first = rules.findIndex(({ id }) => id === firstRule)
  const upToFirst = rules.indexOf(rule) > first ? rules.slice(0, first + 1) : []
  return [...upToFirst.map(({ id }) => id), ...(rule.needs ?? [])]
}

/** Gives out a number of lanes; the function that it resolves to leaves the lane to the next in the queue. */
function makeLanes(count: number): () => Promise<() => void> {
  const queue: (() => void)[] = []
  let busy = 0
  const leave = () => {
    busy -= 1
    queue.shift()?.()
  }
  return async () => {
    if (busy >= count) await new Promise<void>((resolve) => queue.push(resolve))
    busy += 1
    return leave
  }
}

function whySkipped<Trial, Requirement>(
  rule: ConformanceRule<Trial, Requirement>,
  { firstRule, whyNotApplicable }: ConformanceRules<Trial, Requirement>,
  results: Map<string, RuleResult>,
): string | undefined {
  // Without it every other rule would only fail, or hang, in the same way.
  if (!rule.isLast && (results.get(firstRule)?.status ?? 'passed') !== 'passed') return `needs ${firstRule}`
  const notApplicable = rule.requires === undefined ? undefined : whyNotApplicable(rule.requires)
  if (notApplicable !== undefined) return notApplicable
  const missing = rule.needs?.find((id) => results.get(id)?.status !== 'passed')
  return missing === undefined ? undefined : `needs ${missing}`
}

async function tryRule<Trial, Requirement>(
  rule: ConformanceRule<Trial, Requirement>,
  set: ConformanceRules<Trial, Requirement>,
): Promise<RuleResult> {
  const trial = set.openTrial()
  const start = performance.now()
  const heading = { id: rule.id, title: rule.title }
  const ms = () => Math.round(performance.now() - start)
  try {
    const reason = await rule.run(trial)
    if (reason !== undefined) return { ...skipped(rule, reason), ms: ms() }
    return { ...heading, status: 'passed', ms: ms() }
  } catch (error) {
    if (error instanceof EntireError) throw error
    if (!(error instanceof BrokenRule))
      throw new Error(`The rule ${rule.id} could not be tried: ${messageOf(error)}`, { cause: error })
    const status = rule.level === 'must' ? 'failed' : 'warned'
    return { ...heading, status, ms: ms(), failure: error.failure }
  } finally {
    await set.closeTrial?.(trial)
  }
}

function skipped({ id, title }: Pick<RuleResult, 'id' | 'title'>, reason: string): RuleResult {
  return { id, title, status: 'skipped', ms: 0, reason }
}
