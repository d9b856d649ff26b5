// `entire hooks <agent> <hook>`: agents run these through the hooks we installed.

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { agentCards, findAgent } from '../../agents/index.ts'
import { findRepo, type Repo } from '../../git/repo.ts'
import type { Agent } from '../../model/agent.ts'
import { prefetchStatus } from '../../sessions/prefetch-status.ts'
import { isSetUp, readHookSettings, readSettings } from '../../settings/read.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { isDevice } from '../streams.ts'

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
  const early = prefetchStatus(repo, event)
  // Many hooks mean nothing to us; what follows is loaded for those that do.
  const [{ systemRecorder: createRecorder }, { dispatch }] = await Promise.all([
    import('../recorder.ts'),
    import('../../recording/dispatch.ts'),
  ])
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

async function parse(
  agent: Agent,
  verb: string,
  { payload, raw }: { payload: JsonObject; raw: Buffer },
  repo: Repo,
) {
  try {
    return await agent.parseHook(verb, payload, process.env, raw)
  } catch (error) {
    // A plugin that fails is something for `entire doctor`; agents of our own fail only when they are called wrongly.
    if (agent.executable !== undefined) {
      const { systemRecorder: createRecorder } = await import('../recorder.ts')
      createRecorder(repo, { component: 'hooks', agent: agent.name }).log.write('error', messageOf(error), {
        hook: verb,
      })
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

// The payload of an agent's hook: JSON on standard input, or as the last argument for agents that pass it so.

const idleMs = 2_000
const maxBytes = 256 * 1024 * 1024

export interface Payload {
  /** As it came. */
  raw: Buffer
  json: JsonObject
}

/** `anything`: what an external agent sends is for its plugin to understand, and may be nothing at all. */
export async function readPayload(args: string[], { anything = false } = {}): Promise<Payload> {
  const sent = isDevice(0) ? Buffer.alloc(0) : await readStdin()
  const isEmpty = sent.toString('utf8').trim() === ''
  const argument = isEmpty ? asObject(parseJson(args.at(-1) ?? '')) : undefined
  const raw = argument === undefined ? sent : Buffer.from(args.at(-1) ?? '')
  const json = argument ?? asObject(parseJson(sent.toString('utf8')))
  if (json !== undefined) return { raw, json }
  if (anything) return { raw, json: {} }
  throw new EntireError(
    'bad-payload',
    isEmpty ? 'The hook got no input.' : 'The hook input is not a JSON object.',
    {
      hint: 'Agents call this command; by hand, pass the payload on standard input.',
    },
  )
}

async function readStdin(): Promise<Buffer> {
  const stat = fstatSync(0)
  if (stat.isFile() && stat.size <= maxBytes) return readFileSync(0)
  const there = stat.isFIFO() ? readWhatIsThere() : Buffer.alloc(0)
  return isWhole([there]) ? there : await readOn(there)
}

// Agents write before we are up, and a look takes a fraction of the time of a stream. Opened anew, the pipe can be told not to wait.
function readWhatIsThere(): Buffer {
  let fd: number | undefined
  try {
    fd = openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK)
    const buffer = Buffer.allocUnsafe(64 * 1024)
    return buffer.subarray(0, readSync(fd, buffer))
  } catch {
    // Nothing is there yet, or the system has no such file: whoever waits hears more.
    return Buffer.alloc(0)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

// Some agents keep the pipe open: a complete value is enough, and silence ends the wait.
async function readOn(there: Buffer): Promise<Buffer> {
  const reader = Bun.stdin.stream().getReader()
  const parts = [there]
  let size = there.length
  for (;;) {
    const { promise: silence, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), idleMs)
    const next = await Promise.race([reader.read(), silence])
    clearTimeout(timer)
    if (next === undefined || next.done) break
    const part = Buffer.from(next.value)
    parts.push(part)
    size += part.length
    if (size > maxBytes) throw new EntireError('bad-payload', 'The hook input is larger than 256 MiB.')
    if (isWhole(parts)) break
  }
  // A reader that waits would keep the process alive for as long as the pipe is open.
  void reader.cancel()
  return Buffer.concat(parts)
}

function isWhole(parts: Buffer[]): boolean {
  const end = parts.at(-1)?.subarray(-16).toString('latin1').trimEnd()
  return end?.endsWith('}') === true && parseJson(Buffer.concat(parts).toString('utf8')) !== undefined
}
