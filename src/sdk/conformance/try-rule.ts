// Tries one rule and says what came of it, the same for plugins and for extensions.
import { EntireError, messageOf } from '../../std/errors.ts'
import { Broken } from './broken.ts'
import type { Result, Rule } from './rule.ts'

type Named = Pick<Rule, 'id' | 'title' | 'level'>

/** `run` throws `Broken`; a text says why the rule could not be tried. */
export async function tryRule(rule: Named, run: () => Promise<string | undefined> | Promise<void>): Promise<Result> {
  const start = performance.now()
  const about = { id: rule.id, title: rule.title }
  const ms = () => Math.round(performance.now() - start)
  try {
    const reason = await run()
    return reason === undefined ? { ...about, status: 'passed', ms: ms() } : { ...skip(rule, reason), ms: ms() }
  } catch (error) {
    if (error instanceof EntireError) throw error
    if (!(error instanceof Broken)) throw new Error(`The rule ${rule.id} could not be tried: ${messageOf(error)}`, { cause: error })
    return { ...about, status: rule.level === 'must' ? 'failed' : 'warned', ms: ms(), failure: error.failure }
  }
}

export function skip(rule: Named, reason: string): Result {
  return { id: rule.id, title: rule.title, status: 'skipped', ms: 0, reason }
}
