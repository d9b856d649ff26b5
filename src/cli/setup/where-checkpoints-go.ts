// Tells a person who enables recording what will be pushed and where, and asks whether it may.

import { readCurrentBranch } from '../../git/branches.ts'
import { readConfig } from '../../git/config.ts'
import type { Repo } from '../../git/repo.ts'
import type { Settings } from '../../model/settings.ts'
import { describeCheckpointRemote } from '../../settings/checkpoint-remote.ts'
import { findPushTarget } from '../../sync/push.ts'
import { electRemote } from '../../sync/unpushed.ts'
import { confirmOrCancel } from '../ask.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'

const stored = 'your conversations with agents, without the secrets found'

/** One sentence for the end of `entire enable`. */
export async function describePush(repo: Repo, settings: Settings): Promise<string> {
  if (!settings.pushSessions) return 'Checkpoints stay on this machine: pushing them is off.'
  const target = await findTarget(repo, settings)
  if (target === undefined)
    return `Checkpoints (${stored}) stay on this machine until there is a remote; then \`git push\` takes them along.`
  if ('why' in target) return `Checkpoints stay on this machine: ${clean(target.why)}.`
  return `\`git push\` also pushes checkpoints (${stored}) to ${target.name}. To keep them here: \`entire configure strategy_options.push_sessions false\`.`
}

export type PushAnswer = 'push' | 'keep' | 'cancelled'

/** Asks where it matters: when there is a remote that the next push would take checkpoints to. */
export async function askToPush(cli: Cli, repo: Repo, settings: Settings): Promise<PushAnswer> {
  const target = settings.pushSessions ? await findTarget(repo, settings) : undefined
  if (target === undefined || 'why' in target) return 'push'
  const answer = await confirmOrCancel(cli, {
    message: `May \`git push\` take checkpoints to ${target.name}?`,
    detail: `They hold ${stored}.`,
    noTerminalHint: 'Use --yes, or --skip-push-sessions to keep them on this machine.',
  })
  return answer === undefined ? 'cancelled' : answer ? 'push' : 'keep'
}

async function findTarget(
  repo: Repo,
  { checkpointRemote: configured }: Settings,
): Promise<{ name: string } | { why: string } | undefined> {
  const config = await readConfig(repo)
  const elected = electRemote(config, await readCurrentBranch(repo))
  if (elected === undefined && configured === undefined) return undefined
  const target = await findPushTarget(repo, config, { remote: elected?.remote ?? '', configured })
  if (typeof target === 'string') return { why: target }
  return { name: clean(configured === undefined ? target.remote : describeCheckpointRemote(configured)) }
}
