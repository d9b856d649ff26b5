// Repeats what the tools of captured agents did to the work tree.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asObject, type JsonObject } from '../../src/std/json.ts'
import type { RecordedRepo } from './recorded-repo.ts'

type Tool = (repo: RecordedRepo, input: JsonObject, env: Record<string, string>) => Promise<void> | void

const write: Tool = (_repo, input) => put(String(input.file_path), String(input.content))
const replace: Tool = (_repo, input) => {
  const path = String(input.file_path)
  put(
    path,
    readFileSync(path, 'utf8').replace(String(input.old_string ?? input.old_str), () =>
      String(input.new_string ?? input.new_str),
    ),
  )
}
const shell: Tool = async (repo, input, env) => {
  await repo.run(['sh', '-c', String(input.command)], { env: { ...repo.env, ...env } })
}

// As much of the format as the captured patches use.
const patch: Tool = (repo, input) => {
  for (const [, kind, name = '', body = ''] of String(input.command).matchAll(
    /^\*\*\* (Add|Update) File: (.+)\n((?:[-+ @].*\n)+)/gm,
  )) {
    const path = join(repo.root, name)
    const side = (sign: string) =>
      [...body.matchAll(new RegExp(`^[${sign}](.*\\n)`, 'gm'))].map(([, line]) => line).join('')
    put(path, kind === 'Add' ? side('+') : readFileSync(path, 'utf8').replace(side(' -'), () => side(' +')))
  }
}

const tools: Record<string, Tool> = {
  ...{ Write: write, Edit: replace, Bash: shell },
  ...{ Create: write, Execute: shell },
  apply_patch: patch,
  ...{ write_file: write, replace, edit: replace, run_shell_command: shell },
}

/** Variables that the agents give to hooks and to the commands they run, as captured. */
function shellOf(agent: string, session: string): Record<string, string> {
  if (agent === 'claude-code')
    return { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session, CLAUDE_CODE_CHILD_SESSION: '1' }
  if (agent === 'codex') return { CODEX_SESSION_ID: session, CODEX_THREAD_ID: session, CODEX_CI: '1' }
  if (agent === 'factoryai-droid')
    return { FACTORY_DISABLE_SETTINGS_PERSISTENCE: 'true', GIT_TERMINAL_PROMPT: '0', TERM: 'dumb' }
  return agent === 'qwen' ? { QWEN_CODE: '1' } : { GEMINI_CLI: '1' }
}

/**
 * Droid also puts every plain value of the payload into the environment of its hooks, by the same names;
 * Codex puts nothing there.
 */
export function hookEnv(agent: string, payload: JsonObject): Record<string, string> {
  if (agent === 'codex') return {}
  const plain = Object.entries(payload).filter(([, value]) => typeof value !== 'object')
  const again =
    agent === 'factoryai-droid' ? Object.fromEntries(plain.map(([name, value]) => [name, String(value)])) : {}
  return { ...again, ...shellOf(agent, String(payload.session_id)) }
}

// Gemini CLI switches git hooks, and the user's own configuration, off in the commands it runs.
const withoutGitHooks = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.hooksPath',
  GIT_CONFIG_VALUE_0: '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
}

/** After the hook that announces a tool, the tool does its work. */
export async function useTool(
  repo: RecordedRepo,
  agent: string,
  event: string,
  payload: JsonObject,
): Promise<void> {
  if (event !== 'PreToolUse' && event !== 'BeforeTool') return
  const env = {
    ...shellOf(agent, String(payload.session_id)),
    ...(agent === 'gemini' ? withoutGitHooks : {}),
  }
  await tools[String(payload.tool_name)]?.(repo, asObject(payload.tool_input) ?? {}, env)
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
