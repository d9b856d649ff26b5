// The conformance check: tries every rule on an extension, each in a place and a process of its own.

import { resolve } from 'node:path'
import { checkRuntime, type Environment } from '../../extensions/launch.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { manifestName, readManifest } from '../../extensions/manifest.ts'
import { noRegistrations } from '../../extensions/start-extension.ts'
import { EntireError } from '../../std/errors.ts'
import { chooseRules, inLanes, type Result, skip, tryRule } from '../conformance/runner.ts'
import { type Fixtures, makeGrounds } from './ground.ts'
import { firstRule, handshakeRules } from './rules-handshake.ts'
import { hookRules } from './rules-hooks.ts'
import { endRules, manifestRules } from './rules-lifecycle.ts'
import { framingRules, messageRules } from './rules-messages.ts'
import { fixtureRules, requestRules } from './rules-requests.ts'
import { type Facts, type Limits, makeTrial, type Rule } from './trial.ts'
import { createWireLog } from './wire-log.ts'

export interface CheckOptions {
  fixtures?: Fixtures
  /** What the extension inherits, apart from everything that points to files of the user. */
  env?: Environment
  limits?: Partial<Limits>
  /** Only rules with these ids or groups of ids, such as `framing` or `end/shutdown`, and what they need. */
  only?: string[]
  onResult?(result: Result): void
}

/** All rules but those that fixtures of the author add. */
export const rules: readonly Rule[] = [
  ...manifestRules,
  ...handshakeRules,
  ...requestRules,
  ...framingRules,
  ...hookRules,
  ...endRules,
  ...messageRules,
]

const usualLimits: Limits = { startMs: 10_000, answerMs: 5_000, endMs: 2_000, settleMs: 200 }

/** How many rules are tried at the same time. Most of the time goes into starting processes. */
const lanes = 4

/** Throws for a directory that has no extension in it: there is nothing that could be checked. */
export async function checkExtension(dir: string, options: CheckOptions = {}): Promise<Result[]> {
  const manifest = readManifest(resolve(dir))
  if (!manifest)
    throw new EntireError('not-found', `${dir} has no ${manifestName}.`, {
      hint: 'Name the directory of an extension.',
    })
  checkRuntime(manifest)
  const grounds = makeGrounds(options.env ?? process.env, manifest)
  const session = makeSession(manifest, options)
  const attempt = async (rule: Rule, results: Map<string, Result>): Promise<Result> => {
    const reason = findReasonToSkip(rule, session.isKnown(), session.known.facts, results)
    if (reason !== undefined) return skip(rule, reason)
    const trial = makeTrial(grounds.next(), session.known)
    try {
      return await tryRule(rule, () => rule.run(trial))
    } finally {
      await trial.end()
    }
  }
  try {
    const chosen = listRules(options)
    const isLast = (rule: Rule) => messageRules.includes(rule)
    const before = await inLanes(
      lanes,
      chosen.filter((rule) => !isLast(rule)),
      attempt,
      options.onResult,
      firstRule,
    )
    const known = new Map(before.map((result) => [result.id, result]))
    const after = await inLanes(
      1,
      chosen.filter(isLast),
      (rule) => attempt(rule, known),
      options.onResult,
      firstRule,
    )
    return [...before, ...after]
  } finally {
    grounds.remove()
  }
}

/** What is learned on the way. */
function makeSession(manifest: Manifest, options: CheckOptions) {
  let isKnown = false
  const known = {
    manifest,
    limits: { ...usualLimits, ...options.limits },
    log: createWireLog(),
    facts: { answer: undefined, registrations: noRegistrations() } as Facts,
    learn(facts: Facts) {
      known.facts = facts
      isKnown = true
    },
    fixtures: options.fixtures,
  }
  return { known, isKnown: () => isKnown }
}

function listRules({ fixtures, only }: CheckOptions): Rule[] {
  const all = [
    ...rules.slice(0, -messageRules.length),
    ...(fixtures === undefined ? [] : fixtureRules(fixtures)),
    ...messageRules,
  ]
  return chooseRules(all, only, firstRule)
}

function findReasonToSkip(
  rule: Rule,
  isKnown: boolean,
  facts: Facts,
  results: Map<string, Result>,
): string | undefined {
  const isMessageRule = messageRules.includes(rule)
  // Without a handshake every other rule would only fail, or hang, in the same way.
  if (!isKnown && results.has(firstRule) && !isMessageRule) return `needs ${firstRule}`
  if (rule.requires !== undefined && facts.registrations[rule.requires].length === 0)
    return `no ${rule.requires} was said`
  const broken = rule.needs?.find((id) => results.get(id)?.status !== 'passed')
  return broken === undefined ? undefined : `needs ${broken}`
}
