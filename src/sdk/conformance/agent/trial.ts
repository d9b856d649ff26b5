// Calls an external agent for a rule as the program would, and finds everything that can go wrong in a call.

import {
  type AnswerMessage,
  oneLineExcerpt,
  parseSubcommandAnswer,
} from '../../../protocol/external-agent/answer.ts'
import type { Capability, MessageInput, Messages } from '../../../protocol/external-agent/messages.ts'
import {
  callArguments,
  type SubcommandArguments,
  type SubcommandName,
} from '../../../protocol/external-agent/table.ts'
import { given } from '../../../std/given.ts'
import { type LimitedResult, runLimited } from '../../../std/limited-process.ts'
import { BrokenRule, type ConformanceRule, hold } from '../rule.ts'
import type { AgentFixtures } from './fixtures.ts'
import type { AgentSandbox } from './sandbox.ts'

export type AgentRule = ConformanceRule<AgentTrial, Capability>

export interface AgentLimits {
  timeoutMs: number
  maxBytes: number
}

export type Stdin = string | Uint8Array | object

export interface AgentTrial extends AgentSandbox {
  executable: string
  /** The answer to `info`. */
  readonly info: Messages['info']
  /** Keeps the answer to `info` for the rules that follow. */
  learn(info: Messages['info']): void
  fixtures: AgentFixtures | undefined
  /** Runs the executable with these arguments. Fails only when the process itself does not behave. */
  run(words: string[], stdin?: Stdin): Promise<LimitedResult>
  /** Calls a subcommand that must succeed, and returns what it printed. */
  bytes<Name extends SubcommandName>(
    name: Name,
    args: SubcommandArguments<Name>,
    stdin?: Stdin,
  ): Promise<Buffer>
  /** Calls a subcommand that must succeed, and parses what it printed by its schema. */
  ask<Name extends SubcommandName>(
    name: Name,
    args: SubcommandArguments<Name>,
    stdin?: Stdin,
  ): Promise<AnswerMessage<Name>>
  /** Makes a call that must fail with a message on stderr. */
  refuse(words: string[], stdin: Stdin | undefined, why: string): Promise<void>
}

export interface AgentTrialOptions extends Pick<AgentTrial, 'executable' | 'info' | 'learn' | 'fixtures'> {
  sandbox: AgentSandbox
  limits: AgentLimits
}

export function makeAgentTrial({ sandbox, limits, ...known }: AgentTrialOptions): AgentTrial {
  const run: AgentTrial['run'] = async (words, stdin) => {
    const options = {
      cwd: sandbox.root,
      env: sandbox.env,
      ...limits,
      ...given({ stdin: stdin === undefined ? undefined : encode(stdin) }),
    }
    const result = await runLimited([known.executable, ...words], options)
    checkProcess(words.join(' '), result, limits)
    return result
  }
  const bytes: AgentTrial['bytes'] = async (name, args, stdin) => {
    const words = callArguments(name, args)
    const { code, stdout, stderr } = await run(words, stdin)
    hold(code === 0, {
      expected: `\`${words.join(' ')}\` to succeed with exit code 0`,
      received: `exit code ${code}${stderr.trim() === '' ? ' and nothing on stderr' : `: ${oneLineExcerpt(stderr.trim())}`}`,
      fix: `Implement \`${name}\`, or read in its message why it failed.`,
    })
    return stdout
  }
  const ask: AgentTrial['ask'] = async (name, args, stdin) => {
    const parsed = parseSubcommandAnswer(name, await bytes(name, args, stdin))
    if (parsed.ok) return parsed.value
    throw new BrokenRule({
      expected: `\`${name}\` to print JSON in the form of its schema, and nothing else`,
      received: parsed.problem,
      fix: `Compare with the entry on \`${name}\` in the protocol reference. Messages for people belong on stderr.`,
    })
  }
  const refuse: AgentTrial['refuse'] = async (words, stdin, why) => {
    const { code, stdout, stderr } = await run(words, stdin)
    hold(code !== 0, {
      expected: `\`${words.join(' ')}\` to fail, because ${why}`,
      received: `exit code 0, and on stdout: ${oneLineExcerpt(stdout.toString('utf8').trim())}`,
      fix: 'Check the input, and exit with a code other than 0 when it is not valid.',
    })
    hold(stderr.trim() !== '', {
      expected: 'a message on stderr that says what is wrong',
      received: `exit code ${code} and nothing on stderr`,
      fix: 'Print the reason on stderr: it is shown to the user.',
    })
  }
  return { ...sandbox, ...known, run, bytes, ask, refuse }
}

function encode(stdin: Stdin): string | Uint8Array {
  return typeof stdin === 'string' || stdin instanceof Uint8Array ? stdin : JSON.stringify(stdin)
}

function checkProcess(call: string, result: LimitedResult, limits: AgentLimits): void {
  const { startError, timedOut, overflowed, signal, leftBehind } = result
  hold(startError === undefined, {
    expected: 'an executable that can be started',
    received: startError ?? '',
    fix: 'Make the file executable (chmod +x), and check its first line (`#!…`): the program named there must be installed.',
  })
  hold(!timedOut, {
    expected: `\`${call}\` to end within ${limits.timeoutMs / 1000} s`,
    received: 'no end; it was killed with all processes it had started',
    fix: 'Do not wait for a terminal or for the network, and read stdin only where the protocol sends it.',
  })
  hold(overflowed === undefined, {
    expected: `\`${call}\` to print at most ${limits.maxBytes} bytes`,
    received: `more than that on ${overflowed}; it was killed`,
    fix: 'Print only the answer. A call cannot return more than the limit.',
  })
  hold(signal === null, {
    expected: `\`${call}\` to end by itself`,
    received: `it was killed by ${signal}`,
    fix: 'It crashed. Run the same call in a shell to see where.',
  })
  hold(leftBehind === undefined, {
    expected: `the output of \`${call}\` to be closed when the plugin ends`,
    received: 'a process started by the plugin that holds it open',
    fix: 'Give background processes their own output: `command >/dev/null 2>&1 </dev/null &`.',
  })
}

// The session that rules write and read. Its content is valid in every format: one JSON object, as a line and
// as a document.
export const sampleSessionId = 'conformance-session-1'
export const sampleSessionBytes = Buffer.from('{"conformance":true}\n')
export const brokenJson = '{"session_id":'
export const time = '2026-01-13T12:00:00Z'

export function hookInput(session: string, ref: string, hookType = 'stop'): MessageInput['hook-input'] {
  return {
    hook_type: hookType,
    session_id: session,
    session_ref: ref,
    timestamp: time,
    user_prompt: 'Fix the login',
    raw_data: {},
  }
}

export async function resolveSessionFile(
  trial: AgentTrial,
  session: string,
): Promise<{ dir: string; file: string }> {
  const { session_dir: dir } = await trial.ask('get-session-dir', { 'repo-path': trial.root })
  const { session_file: file } = await trial.ask('resolve-session-file', {
    'session-dir': dir,
    'session-id': session,
  })
  return { dir, file }
}

export async function sampleSession(
  trial: AgentTrial,
  session = sampleSessionId,
  bytes: Uint8Array = sampleSessionBytes,
): Promise<MessageInput['session']> {
  return {
    session_id: session,
    agent_name: trial.info.name,
    repo_path: trial.root,
    session_ref: (await resolveSessionFile(trial, session)).file,
    start_time: time,
    native_data: Buffer.from(bytes).toString('base64'),
    modified_files: ['README.md'],
    new_files: [],
    deleted_files: [],
  }
}

/** Writes a session through the plugin, and returns it with its path. */
export async function writeSample(
  trial: AgentTrial,
  session = sampleSessionId,
  bytes: Uint8Array = sampleSessionBytes,
): Promise<MessageInput['session']> {
  const written = await sampleSession(trial, session, bytes)
  await trial.bytes('write-session', {}, written)
  return written
}
