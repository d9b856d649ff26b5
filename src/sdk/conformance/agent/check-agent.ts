// Checks an external agent: tries every rule of the protocol on the executable, each in a repository and a
// home of its own.

import { resolve } from 'node:path'
import type { Capability, Messages } from '../../../protocol/external-agent/messages.ts'
import { limits as protocolLimits } from '../../../protocol/external-agent/subcommand.ts'
import { type CheckOptions, type ConformanceRules, tryRules } from '../engine.ts'
import type { RuleResult } from '../rule.ts'
import type { AgentFixtures } from './fixtures.ts'
import { agentFixtureRules } from './rules-fixtures.ts'
import { agentHookRules } from './rules-hooks.ts'
import { infoRules } from './rules-info.ts'
import { analysisRules, optionalRules } from './rules-optional.ts'
import { sessionRules } from './rules-session.ts'
import { transcriptRules } from './rules-transcript.ts'
import { makeAgentSandboxes } from './sandbox.ts'
import { type AgentLimits, type AgentRule, type AgentTrial, makeAgentTrial } from './trial.ts'

/** All rules except those that fixtures of the author add. */
export const agentRules: readonly AgentRule[] = [
  ...infoRules,
  ...sessionRules,
  ...transcriptRules,
  ...agentHookRules,
  ...analysisRules,
  ...optionalRules,
]

export type AgentCheckOptions = CheckOptions<AgentFixtures, AgentLimits>

export async function checkAgent(executable: string, options: AgentCheckOptions = {}): Promise<RuleResult[]> {
  const { fixtures } = options
  let info: Messages['info'] | undefined
  return await withTrials(executable, options, async (openTrial) => {
    const set: ConformanceRules<AgentTrial, Capability> = {
      rules: [...agentRules, ...(fixtures === undefined ? [] : agentFixtureRules(fixtures))],
      firstRule: 'info/answers',
      whyNotApplicable: (capability) =>
        info?.capabilities[capability] === true ? undefined : `the capability ${capability} is not declared`,
      openTrial: () =>
        openTrial(info ?? noInfo, (answer) => {
          info = answer
        }),
    }
    return await tryRules(set, options)
  })
}

/** Opens one trial of an agent that has answered to `info`. */
export async function tryAgent(
  executable: string,
  options: AgentCheckOptions,
  use: (trial: AgentTrial) => Promise<void>,
): Promise<void> {
  await withTrials(executable, options, async (openTrial) => {
    const info = await openTrial(noInfo, () => {}).ask('info', {})
    await use(openTrial(info, () => {}))
  })
}

type OpenTrial = (info: Messages['info'], learn: AgentTrial['learn']) => AgentTrial

async function withTrials<Result>(
  executable: string,
  { fixtures, limits, env = process.env }: AgentCheckOptions,
  use: (openTrial: OpenTrial) => Promise<Result>,
): Promise<Result> {
  const sandboxes = await makeAgentSandboxes(env)
  const given = { timeoutMs: protocolLimits.timeoutMs, maxBytes: protocolLimits.maxBytes, ...limits }
  const program = { executable: resolve(executable), limits: given, fixtures }
  try {
    return await use((info, learn) => makeAgentTrial({ ...program, sandbox: sandboxes.next(), info, learn }))
  } finally {
    sandboxes.remove()
  }
}

// For the two rules that are tried before `info` has answered.
const noInfo = {
  capabilities: { caller_env_vars: [] },
  hook_names: [],
  protected_dirs: [],
  protected_files: [],
} as unknown as Messages['info']
