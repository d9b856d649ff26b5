// Replays a captured session of a real agent: the installed hooks get its payloads, its tools do what they
// did, and its transcripts grow as they did.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { asObject, type JsonObject } from '../../src/std/json.ts'
import type { RecordedRepo } from './recorded-repo.ts'
import { hookEnv, useTool } from './replay-tools.ts'

export interface Replay {
  session: string
  /** The main transcript, where this repository's agent has it. */
  transcript: string
  /** Plays on up to and including the hook of this name; returns the stderr of the hooks. */
  to(name: string): Promise<string>
  rest(): Promise<string>
}

interface Options {
  /** Changes a payload on its way, as a situation that was not captured would. */
  patch?(payload: JsonObject, hook: string): JsonObject
}

const fixtures = join(import.meta.dir, '../fixtures/agents')
const configs: Record<string, string> = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/hooks.json',
  'factoryai-droid': '.factory/settings.json',
  gemini: '.gemini/settings.json',
  qwen: '.qwen/settings.json',
}

export function replay(repo: RecordedRepo, scenario: string, options: Options = {}): Replay {
  const dir = join(fixtures, scenario)
  const agent = scenario.split('/')[0] ?? ''
  const home = join(repo.base, 'home')
  // Some look for a session only in the directory that is named after the repository.
  const named: Record<string, RegExp> = { qwen: /[^A-Za-z0-9]/g, 'factoryai-droid': /\//g }
  const project = named[agent] === undefined ? '-home-dev-app' : repo.root.replace(named[agent], '-')
  const here = (text: string) =>
    text
      .replaceAll('/home/dev/app', repo.root)
      .replaceAll('/home/dev', home)
      .replaceAll('-home-dev-app', project)
  const read = (path: string) => here(readFileSync(path, 'utf8'))
  const hooksDir = existsSync(join(dir, 'hooks')) ? join(dir, 'hooks') : dir
  const hooks = readdirSync(hooksDir)
    .filter((name) => /^\d{3}-\w+\.json$/.test(name))
    .toSorted()
    .map((name) => basename(name, '.json'))
  const payloads = new Map(
    hooks.map((name) => [name, JSON.parse(read(join(hooksDir, `${name}.json`))) as JsonObject]),
  )
  const copies = filesBelow(dir).filter((path) => path.includes('transcript-at-hook'))
  const transcript = String(payloads.get(hooks.at(-1) ?? '')?.transcript_path)
  const finals = new Map(
    filesBelow(join(dir, 'home')).map((path) => [
      here(join(home, relative(join(dir, 'home'), path))),
      read(path),
    ]),
  )
  let next = 0

  /** Writes the first `length` characters of the final file; never takes anything back. */
  const grow = (path: string, length: number) => {
    const now = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const final = finals.get(path) ?? ''
    if (!final.startsWith(now)) throw new Error(`${path} is not a beginning of what was captured`)
    mkdirSync(dirname(path), { recursive: true })
    if (length > now.length) writeFileSync(path, final.slice(0, length))
  }
  const upTo = (path: string, payload: JsonObject) => {
    const id = payload.tool_call_id ?? payload.tool_use_id
    // Droid announces a tool without the id of its call.
    const words = id === undefined ? `"input":${JSON.stringify(payload.tool_input)}` : `"id":"${String(id)}"`
    const at = (finals.get(path) ?? '').indexOf(words)
    return at === -1 ? 0 : (finals.get(path) as string).indexOf('\n', at) + 1
  }

  async function play(name: string): Promise<string> {
    const event = name.slice(4)
    const captured = payloads.get(name) as JsonObject
    const payload = options.patch?.(captured, name) ?? captured
    const subagent =
      typeof payload.agent_transcript_path === 'string' ? payload.agent_transcript_path : undefined
    const own = typeof payload.transcript_path === 'string' ? payload.transcript_path : transcript
    const seen = copies.filter((path) => basename(path).startsWith(`${name}.`))
    for (const copy of seen)
      grow(copy.includes('agent-transcript') && subagent ? subagent : transcript, read(copy).length)
    if (seen.length === 0 && own !== transcript && finals.has(own)) grow(own, Number.POSITIVE_INFINITY)
    if (event === 'PreToolUse' && payload.agent_id === undefined) grow(transcript, upTo(transcript, payload))
    if (event === 'SessionEnd' || (event === 'Stop' && copies.length === 0))
      grow(transcript, Number.POSITIVE_INFINITY)
    if (event === 'Stop')
      for (const [path, text] of finals) if (path.endsWith('.settings.json')) writeFileSync(path, text)
    const running = deliver(event, payload)
    if (seen.length > 0) {
      // The last lines of the turn are written while the hook runs; later lines are written when it has
      // ended.
      await Bun.sleep(40)
      if (subagent !== undefined && finals.has(subagent)) grow(subagent, Number.POSITIVE_INFINITY)
      if (event === 'Stop' && agent === 'claude-code') grow(transcript, endOfTurn(transcript))
    }
    const said = await running
    await useTool(repo, agent, event, payload)
    return said
  }

  const endOfTurn = (path: string) => {
    const final = finals.get(path) ?? ''
    const now = readFileSync(path, 'utf8').length
    const summary = final.indexOf('"stop_hook_summary"', now)
    return summary === -1 ? final.length : final.lastIndexOf('\n', summary) + 1
  }

  async function deliver(event: string, payload: JsonObject): Promise<string> {
    let said = ''
    for (const command of installed(repo, configs[agent] ?? '', event, payload)) {
      const cwd = typeof payload.cwd === 'string' ? payload.cwd : repo.root
      const env = { ...repo.env, ...hookEnv(agent, payload), CLAUDE_PROJECT_DIR: repo.root }
      const ran = await repo.run(['sh', '-c', command], { cwd, env, stdin: `${JSON.stringify(payload)}\n` })
      if (ran.code !== 0 || /failed:|\bat .*\.ts:\d+/.test(ran.stderr))
        throw new Error(`${event} gave ${ran.code}: ${ran.stderr}`)
      said += ran.stderr
    }
    return said
  }

  async function playWhile(goesOn: (name: string) => boolean): Promise<string> {
    let said = ''
    for (let more = true; more && next < hooks.length; next += 1) {
      const name = hooks[next] as string
      said += await play(name)
      more = goesOn(name)
    }
    return said
  }

  return {
    session: String(payloads.get(hooks[0] ?? '')?.session_id),
    transcript,
    to(name) {
      if (!hooks.slice(next).includes(name))
        throw new Error(`${scenario} has no hook ${name} after ${hooks[next - 1] ?? 'its beginning'}`)
      return playWhile((played) => played !== name)
    },
    rest: () => playWhile(() => true),
  }
}

/** The commands that the agent's settings name for an event, matched as the agents match them. */
function installed(repo: RecordedRepo, config: string, event: string, payload: JsonObject): string[] {
  const settings = asObject(JSON.parse(repo.read(config))) as {
    hooks?: Record<string, { matcher?: string; hooks: { command: string }[] }[]>
  }
  const subject = String(payload.tool_name ?? payload.reason ?? '')
  const names = subject === 'Agent' ? ['Agent', 'Task'] : [subject]
  const matches = (matcher = '') =>
    matcher === '' || matcher === '*' || names.some((name) => matcher.split('|').includes(name))
  return (settings.hooks?.[event] ?? [])
    .filter((group) => matches(group.matcher))
    .flatMap((group) => group.hooks.map((hook) => hook.command))
}

function filesBelow(dir: string): string[] {
  return existsSync(dir)
    ? readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : []
}
