// What the tools of captured agents did to the work tree, done again.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { asObject, type JsonObject } from '../../src/std/json.ts'
import type { RecordedRepo } from './recorded-repo.ts'

type Tool = (repo: RecordedRepo, input: JsonObject, env: Record<string, string>) => Promise<void> | void

const write: Tool = (_repo, input) => put(String(input.file_path), String(input.content))
const replace: Tool = (_repo, input) => {
  const path = String(input.file_path)
  put(
    path,
    readFileSync(path, 'utf8').replace(String(input.old_string), () => String(input.new_string)),
  )
}
const shell: Tool = async (repo, input, env) => {
  await repo.run(['sh', '-c', String(input.command)], { env: { ...repo.env, ...env } })
}

const tools: Record<string, Tool> = { Write: write, Edit: replace, Bash: shell, write_file: write, replace, run_shell_command: shell }

/** Variables that the agents give to hooks and to the commands they run, as captured. */
export function shellOf(agent: string, session: string): Record<string, string> {
  if (agent === 'claude-code') return { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session, CLAUDE_CODE_CHILD_SESSION: '1' }
  return { GEMINI_CLI: '1' }
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
export async function useTool(repo: RecordedRepo, agent: string, event: string, payload: JsonObject): Promise<void> {
  if (event !== 'PreToolUse' && event !== 'BeforeTool') return
  const env = { ...shellOf(agent, String(payload.session_id)), ...(agent === 'gemini' ? withoutGitHooks : {}) }
  await tools[String(payload.tool_name)]?.(repo, asObject(payload.tool_input) ?? {}, env)
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
