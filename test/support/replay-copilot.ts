// Replays a captured session of Copilot CLI. Its transcript records every hook, so it grows up to the hook
// that runs.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asObject, type JsonObject } from '../../src/std/json.ts'
import type { RecordedRepo } from './recorded-repo.ts'

export interface CopilotReplay {
  session: string
  transcript: string
  /** Plays on up to and including the hook of this name. */
  to(name: string): Promise<void>
  rest(): Promise<void>
}

const fixtures = join(import.meta.dir, '../fixtures/agents/copilot-cli')

export function replayCopilot(repo: RecordedRepo, scenario: string): CopilotReplay {
  const dir = join(fixtures, scenario)
  const home = join(repo.base, 'home')
  const read = (path: string) =>
    readFileSync(path, 'utf8').replaceAll('/home/dev/app', repo.root).replaceAll('/home/dev', home)
  const hooks = readdirSync(join(dir, 'hooks'))
    .toSorted()
    .map((file) => ({
      name: file.slice(0, -5),
      payload: JSON.parse(read(join(dir, 'hooks', file))) as JsonObject,
    }))
  const pathOf = (session: unknown) => `.copilot/session-state/${session}/events.jsonl`
  let next = 0

  /**
   * All lines up to that of the hook; everything when the session ends, because what follows is written then.
   */
  function grow(event: string, payload: JsonObject): void {
    const session = existsSync(join(dir, 'home', pathOf(payload.sessionId)))
      ? payload.sessionId
      : payload.parentAgentId
    if (!existsSync(join(dir, 'home', pathOf(session)))) return
    const lines = read(join(dir, 'home', pathOf(session))).split('\n')
    const time = new Date(Number(payload.timestamp)).toISOString()
    const own = lines.findIndex(
      (line) => line.startsWith('{"type":"hook.start"') && line.includes(`"timestamp":"${time}"`),
    )
    const until =
      event === 'sessionEnd' ? lines.findLastIndex((line) => line.includes('"hookType":"sessionEnd"')) : own
    const path = join(home, pathOf(session))
    mkdirSync(dirname(path), { recursive: true })
    const text = lines.slice(0, until + 1).map((line) => `${line}\n`)
    if (!existsSync(path) || readFileSync(path, 'utf8').length < text.join('').length)
      writeFileSync(path, text.join(''))
  }

  async function play({ name, payload }: (typeof hooks)[number]): Promise<void> {
    const event = name.slice(4)
    grow(event, payload)
    const settings = JSON.parse(repo.read('.github/hooks/entire.json')) as {
      hooks: Record<string, { bash: string }[]>
    }
    const env = {
      ...repo.env,
      COPILOT_CLI: '1',
      COPILOT_PROJECT_DIR: repo.root,
      CLAUDE_PROJECT_DIR: repo.root,
    }
    for (const { bash } of settings.hooks[event] ?? []) {
      const ran = await repo.run(['bash', '-c', bash], { env, stdin: JSON.stringify(payload) })
      if (ran.code !== 0 || /failed:|\bat .*\.ts:\d+/.test(ran.stderr))
        throw new Error(`${name} gave ${ran.code}: ${ran.stderr}`)
      if (ran.stdout.length > 0)
        throw new Error(`${name} said ${Buffer.from(ran.stdout)}, which the agent would take for an answer`)
    }
    if (event === 'preToolUse') await useTool(repo, payload)
  }

  async function playUntil(isLast: (name: string) => boolean): Promise<void> {
    for (let isOver = false; !isOver && next < hooks.length; next += 1) {
      const hook = hooks[next] as (typeof hooks)[number]
      await play(hook)
      isOver = isLast(hook.name)
    }
  }

  const session = String(hooks[0]?.payload.sessionId)
  return {
    session,
    transcript: join(home, pathOf(session)),
    to(name) {
      if (!hooks.slice(next).some((hook) => hook.name === name))
        throw new Error(`${scenario} has no hook ${name} to come`)
      return playUntil((played) => played === name)
    },
    rest: () => playUntil(() => false),
  }
}

async function useTool(repo: RecordedRepo, { toolName, toolArgs, sessionId }: JsonObject): Promise<void> {
  const args = asObject(toolArgs) ?? {}
  const path = String(args.path)
  if (toolName === 'create') writeFileSync(path, String(args.file_text))
  if (toolName === 'edit' && existsSync(path))
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(String(args.old_str), () => String(args.new_str)),
    )
  const env = {
    ...repo.env,
    COPILOT_CLI: '1',
    COPILOT_AGENT_SESSION_ID: String(sessionId),
    GIT_TERMINAL_PROMPT: '0',
  }
  if (toolName === 'bash' && !String(args.command).startsWith('sleep'))
    await repo.run(['bash', '-c', String(args.command)], { env })
}
