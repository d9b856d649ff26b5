// Plays a script of turns like a coding agent, without a model. The same script always produces the same
// files and the same transcript. Its hooks are in `.demo/settings.json`.
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type HookPayload, type LogLine, readLog, sessionDir, sessionFile } from './session-log.ts'

interface Turn {
  prompt: string
  /** Content by path; null deletes the file. */
  edits?: Record<string, string | null>
  /** Commands that the agent runs after its edits, such as `["git", "commit", "-am", "…"]`. */
  run?: string[][]
  answer: string
  usage?: { input: number; output: number; cached?: number }
}

export interface Script {
  session: string
  /** Time of the first event; each further one is a second later, also after the session is resumed. */
  start: string
  model?: string
  turns: Turn[]
  /** Whether the session is left open, as if the agent had been killed. */
  crash?: boolean
}

/** Continues a session that has a log. */
export function play(script: Script, place: { root: string; home: string; env: NodeJS.ProcessEnv }): void {
  const file = sessionFile(sessionDir(place.home, place.root), script.session)
  const model = script.model ?? 'demo-model'
  const last = readLog(file).at(-1)?.time
  let next = last === undefined ? Date.parse(script.start) : Date.parse(last) + 1000
  const now = () => {
    next += 1000
    return new Date(next - 1000).toISOString()
  }
  const hook = (event: string, extra: Partial<HookPayload> = {}) =>
    callHooks(place, event, {
      session_id: script.session,
      transcript_path: file,
      timestamp: now(),
      model,
      ...extra,
    })
  const log = (line: LogLine) => appendFileSync(file, `${JSON.stringify(line)}\n`)

  mkdirSync(dirname(file), { recursive: true })
  hook('SessionStart')
  for (const turn of script.turns) {
    hook('TurnStart', { prompt: turn.prompt })
    log({ kind: 'prompt', time: now(), text: turn.prompt })
    for (const [path, content] of Object.entries(turn.edits ?? {})) {
      edit(join(place.root, path), content)
      log({ kind: 'edit', time: now(), path, change: content === null ? 'delete' : 'write' })
    }
    for (const command of turn.run ?? []) {
      const env = { ...place.env, DEMO_AGENT_SESSION: script.session }
      const { status } = spawnSync(command[0] ?? '', command.slice(1), {
        cwd: place.root,
        env,
        stdio: 'inherit',
      })
      log({ kind: 'run', time: now(), command, code: status ?? -1 })
    }
    const usage = { input: 1000, output: 100, cached: 0, ...turn.usage }
    log({ kind: 'answer', time: now(), text: turn.answer, model, usage })
    hook('TurnEnd')
  }
  if (!script.crash) hook('SessionEnd')
}

function edit(path: string, content: string | null): void {
  mkdirSync(dirname(path), { recursive: true })
  if (content === null) rmSync(path, { force: true })
  else writeFileSync(path, content)
}

interface Settings {
  hooks?: Record<string, { hooks?: { command?: string }[] }[]>
}

/**
 * Shows the standard output of hooks to the user, and their standard error when they fail. A failure does not
 * stop the agent.
 */
function callHooks(
  place: { root: string; env: NodeJS.ProcessEnv },
  event: string,
  payload: HookPayload,
): void {
  const path = join(place.root, '.demo', 'settings.json')
  if (!existsSync(path)) return
  const settings = JSON.parse(readFileSync(path, 'utf8')) as Settings
  for (const { command } of (settings.hooks?.[event] ?? []).flatMap((group) => group.hooks ?? [])) {
    if (command === undefined) continue
    const env = { ...place.env, DEMO_AGENT_SESSION: payload.session_id }
    const { status, stderr } = spawnSync('/bin/sh', ['-c', command], {
      cwd: place.root,
      env,
      input: JSON.stringify(payload),
      stdio: ['pipe', 'inherit', 'pipe'],
    })
    if (status !== 0) process.stderr.write(stderr)
  }
}
