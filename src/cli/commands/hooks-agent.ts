// `entire hooks <agent> <hook>`: agents run these through the hooks we installed.
import { agentCards, findAgent } from '../../agents/index.ts'
import { findRepo, type Repo } from '../../git/repo.ts'
import type { Agent } from '../../model/agent.ts'
import { askEarly } from '../../session/early-status.ts'
import { isSetUp, readHookSettings, readSettings } from '../../session/settings.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import type { JsonObject } from '../../std/json.ts'
import { readPayload } from './hook-payload.ts'

export async function runAgentHook(name: string, called: string, args: string[]): Promise<void> {
  const named = (await findAgent(name)) ?? (await findExternal(name))
  if (named === undefined) return
  if (!named.hookNames.includes(called)) {
    throw new EntireError('unknown-hook', `${named.type} has no hook ${JSON.stringify(called)}.`, {
      hint: `Its hooks: ${named.hookNames.join(', ')}.`,
    })
  }
  const { json: payload, raw } = await readPayload(args, { anything: named.executable !== undefined })
  const card = agentCards().find(({ borrows }) => borrows?.from === named.name && borrows.isSender(payload))
  const borrower = card && (await findAgent(card.name))
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
