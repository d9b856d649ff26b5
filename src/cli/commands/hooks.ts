// `entire hooks …`: what agents and git call. It must be quick, must never break its caller, and says on stderr what it did.

import { agents, findAgent } from '../../agents/index.ts'
import { findRepo, type Repo } from '../../git/repo.ts'
import type { Agent } from '../../model/agent.ts'
import { askEarly } from '../../session/early-status.ts'
import { isSetUp, readHookSettings, readSettings } from '../../session/settings.ts'
import { EntireError, isErrno, messageOf } from '../../std/errors.ts'
import type { JsonObject } from '../../std/json.ts'
import { write } from '../streams.ts'
import { readPayload } from './hook-payload.ts'

/** Exit code: 0 for everything that can happen in use; a hook that fails would get in the way of the agent or the commit. */
export async function runHook(args: string[]): Promise<number> {
  const [kind = '', verb = ''] = args
  try {
    if (kind === 'git') await (await import('./hooks-git.ts')).runGitHook(verb, args.slice(2))
    else await runAgentHook(kind, verb, args)
  } catch (error) {
    report(error, kind, verb)
  }
  return 0
}

async function runAgentHook(name: string, called: string, args: string[]): Promise<void> {
  const named = findAgent(name) ?? (await findExternal(name))
  if (named === undefined) return
  if (!named.hookNames.includes(called)) {
    throw new EntireError('unknown-hook', `${named.type} has no hook ${JSON.stringify(called)}.`, {
      hint: `Its hooks: ${named.hookNames.join(', ')}.`,
    })
  }
  const { json: payload, raw } = await readPayload(args, { anything: named.executable !== undefined })
  const borrower = agents.find(({ borrowed }) => borrowed?.from === named.name && borrowed.isSender(payload))
  const agent = borrower ?? named
  const verb = borrower === undefined ? called : borrower.borrowed?.verbs[called]
  if (verb === undefined) return
  const from = agent.projectDir(payload, process.env) ?? process.cwd()
  const repo = findRepo(from, process.env) ?? findRepo(process.cwd(), process.env)
  if (repo === undefined || !isSetUp(repo.root)) return
  // Where its own hooks are installed, they have told it already.
  if (await borrower?.installer?.installed({ root: repo.root, keepDir: repo.gitDir })) return
  const event = await parse(agent, verb, { payload, raw }, repo)
  if (event === null) return
  const settings = readHookSettings(repo.root)
  if (!settings.settings.enabled) return
  const early = askEarly(repo, event)
  // Many hooks mean nothing to us; what follows is loaded for those that do.
  const [{ createRecorder }, { dispatch }] = await Promise.all([import('../recorder.ts'), import('../../session/dispatch.ts')])
  const recorder = { ...createRecorder(repo, { component: 'hooks', agent: agent.name }, settings), early }
  // Other sessions of the work tree may have a part in what is to be done.
  if (recorder.settings.externalAgents)
    await (await import('../external-agents.ts')).loadExternalAgents(repo, process.env, { hurried: true })
  try {
    await dispatch(recorder, agent, event)
    recorder.log.write('info', `${agent.name} ${verb}`, {
      session_id: event.session,
      ms: recorder.trace.total(),
      phases: recorder.trace.text(),
    })
  } catch (error) {
    recorder.log.write('error', messageOf(error), { session_id: event.session, hook: verb })
    throw error
  }
}

async function parse(agent: Agent, verb: string, { payload, raw }: { payload: JsonObject; raw: Buffer }, repo: Repo) {
  try {
    return await agent.parseHook(verb, payload, process.env, raw)
  } catch (error) {
    // A plugin that fails is something for `entire doctor`; agents of our own fail only when they are called wrongly.
    if (agent.executable !== undefined) {
      const { createRecorder } = await import('../recorder.ts')
      createRecorder(repo, { component: 'hooks', agent: agent.name }).log.write('error', messageOf(error), { hook: verb })
    }
    throw error
  }
}

// Hooks that a plugin installed for all repositories also run where nothing is recorded; then there is nothing to say.
async function findExternal(name: string): Promise<Agent | undefined> {
  const repo = findRepo(process.cwd(), process.env)
  if (repo === undefined || !isSetUp(repo.root) || !readSettings(repo.root).enabled) return undefined
  const { loadExternalAgent } = await import('../external-agents.ts')
  const agent = await loadExternalAgent(repo, process.env, name)
  if (agent !== undefined) return agent
  throw new EntireError('unknown-agent', `Unknown agent ${JSON.stringify(name)}.`, {
    hint: 'Run `entire enable --help` for the agents there are. External ones need "external_agents": true in the settings.',
  })
}

// Not ours to mend, and no bug: a full disk, a quota, a repository that may only be read.
const unwritable = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EFBIG']

function report(error: unknown, kind: string, verb: string): void {
  if (isErrno(error, ...unwritable)) write(2, `[entire] Nothing was recorded: ${messageOf(error)}. The next event tries again.\n`)
  else if (error instanceof EntireError) write(2, `[entire] ${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}\n`)
  else write(2, `[entire] hooks ${kind} ${verb} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}
