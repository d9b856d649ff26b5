// Tries several rules at a time, and tells the results in the order of the rules all the same.
import type { Result } from './rule.ts'

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
    const before = [...rules.slice(0, rules.indexOf(rule) > first ? first + 1 : 0).map(({ id }) => id), ...(rule.needs ?? [])]
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
