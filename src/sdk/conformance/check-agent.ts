// The conformance check: tries every rule of the protocol on a plugin, each in a place of its own.

import { resolve } from 'node:path'
import type { Messages } from '../../protocol/external-agent/messages.ts'
import { limits as protocolLimits } from '../../protocol/external-agent/subcommand.ts'
import type { Fixtures } from './fixtures.ts'
import { type Environment, makeGrounds } from './ground.ts'
import { analysisRules } from './rules-analysis.ts'
import { fixtureRules } from './rules-fixtures.ts'
import { hookRules } from './rules-hooks.ts'
import { infoRules } from './rules-info.ts'
import { optionalRules } from './rules-optional.ts'
import { sessionRules } from './rules-session.ts'
import { transcriptRules } from './rules-transcript.ts'
import { chooseRules, inLanes, type Result, type Rule, skip, tryRule } from './runner.ts'
import { type Limits, makeTrial } from './trial.ts'

export interface CheckOptions {
  fixtures?: Fixtures
  /** What the plugin inherits, apart from everything that points to files of the user. */
  env?: Environment
  limits?: Partial<Limits>
  /** Only rules with these ids or groups of ids, such as `hooks` or `info/name`, and what they need. */
  only?: string[]
  onResult?(result: Result): void
}

/** All rules but those that samples of the author add. */
export const rules: readonly Rule[] = [
  ...infoRules,
  ...sessionRules,
  ...transcriptRules,
  ...hookRules,
  ...analysisRules,
  ...optionalRules,
]

/** Without it nothing is known about the plugin. */
const firstRule = 'info/answers'

/** How many rules are tried at the same time. Most of the time goes into starting processes. */
const lanes = 4

export async function checkAgent(executable: string, options: CheckOptions = {}): Promise<Result[]> {
  const limits = { timeoutMs: protocolLimits.timeoutMs, maxBytes: protocolLimits.maxBytes, ...options.limits }
  const grounds = await makeGrounds(options.env ?? process.env)
  let info: Messages['info'] | undefined
  const learn = (answer: Messages['info']) => {
    info = answer
  }
  const tryOrSkip = async (rule: Rule, results: Map<string, Result>): Promise<Result> => {
    const reason = findReasonToSkip(rule, info, results)
    if (reason !== undefined) return skip(rule, reason)
    const trial = makeTrial(resolve(executable), grounds.next(), limits, {
      info: info ?? noInfo,
      learn,
      fixtures: options.fixtures,
    })
    return await tryRule(rule, () => rule.run(trial))
  }
  try {
    return await inLanes(lanes, listRules(options), tryOrSkip, options.onResult, firstRule)
  } finally {
    grounds.remove()
  }
}

function listRules({ fixtures, only }: CheckOptions): Rule[] {
  return chooseRules([...rules, ...(fixtures === undefined ? [] : fixtureRules(fixtures))], only, firstRule)
}

// For the two rules that come before the plugin has said anything.
const noInfo = {
  capabilities: { caller_env_vars: [] },
  hook_names: [],
  protected_dirs: [],
  protected_files: [],
} as unknown as Messages['info']

function findReasonToSkip(
  rule: Rule,
  info: Messages['info'] | undefined,
  results: Map<string, Result>,
): string | undefined {
  // Without an answer to `info` every other question would only fail, or hang, in the same way.
  if (info === undefined && results.has(firstRule)) return `needs ${firstRule}`
  if (rule.requires !== undefined && info?.capabilities[rule.requires] !== true)
    return `the capability ${rule.requires} is not declared`
  const broken = rule.needs?.find((id) => results.get(id)?.status !== 'passed')
  return broken === undefined ? undefined : `needs ${broken}`
}

/** Warnings do not count against a plugin. */
export function isConformant(results: Result[]): boolean {
  return results.every(({ status }) => status !== 'failed')
}
