// Runs `entire hooks <agent> <hook>`: reads the payload of an agent's hook and dispatches the event it means.

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { agentCards, loadAgent } from '../../agents/index.ts'
import { findRepo, type Repo } from '../../git/repo.ts'
import type { Agent } from '../../model/agent.ts'
import { prefetchStatus } from '../../sessions/prefetch-status.ts'
import { isSetUp, readUsableSettings } from '../../settings/read.ts'
import { EntireError, messageOf, requires, unknownName, useOneOf } from '../../std/errors.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { isDevice } from '../streams.ts'

export async function runAgentHook(name: string, hookName: string, args: string[]): Promise<void> {
  const named = (await loadAgent(name)) ?? (await findExternal(name))
  if (named === undefined) return
  if (hookName === '') throw requires(`hooks ${named.name}`, 'the name of a hook', useOneOf(named.hookNames))
  if (!named.hookNames.includes(hookName)) {
    throw unknownName(`${named.type} hook`, hookName, useOneOf(named.hookNames), 'unknown-hook')
  }
  const { json: payload, raw } = await readPayload(args, { acceptsAnything: named.executable !== undefined })
  const card = agentCards().find(({ borrows }) => borrows?.from === named.name && borrows.isSender(payload))
  const borrower = card && (await loadAgent(card.name))
  const agent = borrower ?? named
  const verb = borrower === undefined ? hookName : borrower.borrowed?.verbs[hookName]
  if (verb === undefined) return
  const from = agent.projectDir(payload, process.env) ?? process.cwd()
  const repo = findRepo(from, process.env) ?? findRepo(process.cwd(), process.env)
  if (repo === undefined || !isSetUp(repo.root)) return
  // The borrower's own hooks, where they are installed, report the event as well.
  if (await borrower?.installer?.installed({ root: repo.root, keepDir: repo.gitDir })) return
  const event = await parse(agent, verb, { payload, raw }, repo)
  if (event === null) return
  const settings = readUsableSettings(repo.root)
  if (!settings.settings.enabled) return
  const prefetchedStatus = prefetchStatus(repo, event)
  // Loaded late, because many hooks mean no event.
  const [{ systemRecorder }, { dispatch }] = await Promise.all([
    import('../recorder.ts'),
    import('../../recording/dispatch.ts'),
  ])
  const recorder = systemRecorder(repo, { component: 'hooks', agent: agent.name }, settings)
  // Other sessions of the work tree, of any agent, may take part in the event.
  if (recorder.settings.externalAgents)
    await (await import('../external-agents.ts')).loadExternalAgents(repo, process.env, { hurried: true })
  try {
    await dispatch(recorder, agent, event, prefetchedStatus)
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

/** Reads on in a long transcript. Started by a hook that did not have the time. */
export async function runCatchUp(session: string): Promise<number> {
  const repo = findRepo(process.cwd(), process.env)
  if (repo === undefined || !isSetUp(repo.root)) return 0
  const settings = readUsableSettings(repo.root)
  if (!settings.settings.enabled) return 0
  const [{ systemRecorder }, { catchUp }, { checkSessionId }] = await Promise.all([
    import('../recorder.ts'),
    import('../../recording/catch-up.ts'),
    import('../../sessions/store.ts'),
  ])
  checkSessionId(session)
  const recorder = systemRecorder(repo, { component: 'hooks' }, settings)
  if (settings.settings.externalAgents)
    await (await import('../external-agents.ts')).loadExternalAgents(repo, process.env, { hurried: true })
  await catchUp(recorder, session)
  const facts = { session_id: session, ms: recorder.trace.total() }
  recorder.log.write('info', 'caught up with a long transcript', facts)
  return 0
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
    // A plugin may fail by itself, so the error is logged for `entire doctor`. Built-in agents fail only when
    // they are called wrongly.
    if (agent.executable !== undefined) {
      const { systemRecorder } = await import('../recorder.ts')
      systemRecorder(repo, { component: 'hooks', agent: agent.name }).log.write('error', messageOf(error), {
        hook: verb,
      })
    }
    throw error
  }
}

// Hooks that a plugin installed for all repositories also run where nothing is recorded, and are silent
// there.
async function findExternal(name: string): Promise<Agent | undefined> {
  const repo = findRepo(process.cwd(), process.env)
  if (repo === undefined || !isSetUp(repo.root) || !readUsableSettings(repo.root).settings.enabled)
    return undefined
  const { loadExternalAgent } = await import('../external-agents.ts')
  const agent = await loadExternalAgent(repo, process.env, name)
  if (agent !== undefined) return agent
  const hint =
    '`entire agent list` shows the agents. External agents require "external_agents": true in the settings.'
  throw unknownName('agent', name, hint, 'unknown-agent')
}

const idleMs = 2_000
const maxBytes = 256 * 1024 * 1024

interface Payload {
  /** The bytes as they came. */
  raw: Buffer
  json: JsonObject
}

/**
 * JSON on standard input, or the last argument for agents that pass it there. `acceptsAnything` is for
 * external agents: only the plugin understands its input, which may be empty.
 */
async function readPayload(args: string[], { acceptsAnything = false } = {}): Promise<Payload> {
  const sent = isDevice(0) ? Buffer.alloc(0) : await readStdin()
  const isEmpty = sent.toString('utf8').trim() === ''
  const argument = isEmpty ? asObject(parseJson(args.at(-1) ?? '')) : undefined
  const raw = argument === undefined ? sent : Buffer.from(args.at(-1) ?? '')
  const json = argument ?? asObject(parseJson(textOf(sent)))
  if (json !== undefined) return { raw, json }
  if (acceptsAnything) return { raw, json: {} }
  throw new EntireError(
    'bad-payload',
    isEmpty ? 'The hook got no input.' : 'The hook input is not a JSON object.',
    {
      hint: 'Agents call this command. To call it by hand, pass the payload on standard input.',
    },
  )
}

// Some shells put a byte order mark in front of what they pipe.
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\uFEFF/, '')
}

async function readStdin(): Promise<Buffer> {
  const stat = fstatSync(0)
  if (stat.isFile() && stat.size <= maxBytes) return readFileSync(0)
  const start = stat.isFIFO() ? readAvailable() : Buffer.alloc(0)
  return isComplete([start]) ? start : await readRest(start)
}

// Agents usually write before this program has started, and one read takes a fraction of the time of a
// stream. The pipe is opened a second time because only then can it be read without waiting.
function readAvailable(): Buffer {
  let fd: number | undefined
  try {
    fd = openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK)
    const buffer = Buffer.allocUnsafe(64 * 1024)
    return buffer.subarray(0, readSync(fd, buffer))
  } catch {
    // The pipe is still empty, or the system has no such file: the stream reads it.
    return Buffer.alloc(0)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

// Some agents keep the pipe open, so a complete value ends the reading, and so does silence.
async function readRest(start: Buffer): Promise<Buffer> {
  const reader = Bun.stdin.stream().getReader()
  const parts = [start]
  let size = start.length
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
    if (isComplete(parts)) break
  }
  // A reader that waits would keep the process alive for as long as the pipe is open.
  void reader.cancel()
  return Buffer.concat(parts)
}

function isComplete(parts: Buffer[]): boolean {
  const end = parts.at(-1)?.subarray(-16).toString('latin1').trimEnd()
  return end?.endsWith('}') === true && parseJson(textOf(Buffer.concat(parts))) !== undefined
}
