// What a rule works with: the plugin, called as the program would call it, and every way in which a call can go wrong.

import { type AnswerMessage, excerpt, parseAnswer } from '../../protocol/external-agent/answer.ts'
import type { MessageInput, Messages } from '../../protocol/external-agent/messages.ts'
import { type Arguments, callArguments, type SubcommandName } from '../../protocol/external-agent/table.ts'
import { type LimitedResult, runLimited } from '../../std/limited-proc.ts'
import { Broken, hold } from './broken.ts'
import type { Fixtures } from './fixtures.ts'
import type { Ground } from './ground.ts'

export interface Limits {
  timeoutMs: number
  maxBytes: number
}

export type Stdin = string | Uint8Array | object

export interface Trial extends Ground {
  executable: string
  /** What `info` has said. */
  readonly info: Messages['info']
  /** Keeps what `info` has said, for the rules to come. */
  learn(info: Messages['info']): void
  fixtures: Fixtures | undefined
  /** Runs it with these words. Fails only when the process itself does not behave. */
  run(words: string[], stdin?: Stdin): Promise<LimitedResult>
  /** Calls a subcommand that must succeed, and gives what it printed. */
  bytes<Name extends SubcommandName>(name: Name, args: Arguments<Name>, stdin?: Stdin): Promise<Buffer>
  /** The same, read by the schema. */
  ask<Name extends SubcommandName>(
    name: Name,
    args: Arguments<Name>,
    stdin?: Stdin,
  ): Promise<AnswerMessage<Name>>
  /** The same call must be refused, with a word about why. */
  refuse(words: string[], stdin: Stdin | undefined, why: string): Promise<void>
}

export function makeTrial(
  executable: string,
  ground: Ground,
  limits: Limits,
  known: Pick<Trial, 'info' | 'learn' | 'fixtures'>,
): Trial {
  const run: Trial['run'] = async (words, stdin) => {
    const options = {
      cwd: ground.root,
      env: ground.env,
      ...limits,
      ...(stdin === undefined ? {} : { stdin: encode(stdin) }),
    }
    const result = await runLimited([executable, ...words], options)
    checkProcess(words.join(' '), result, limits)
    return result
  }
  const bytes: Trial['bytes'] = async (name, args, stdin) => {
    const words = callArguments(name, args)
    const { code, stdout, stderr } = await run(words, stdin)
    hold(code === 0, {
      expected: `\`${words.join(' ')}\` to succeed with exit code 0`,
      received: `exit code ${code}${stderr.trim() === '' ? ' and nothing on stderr' : `: ${excerpt(stderr.trim())}`}`,
      fix: `Implement \`${name}\`, or find out from its message why it failed.`,
    })
    return stdout
  }
  const ask: Trial['ask'] = async (name, args, stdin) => {
    const parsed = parseAnswer(name, await bytes(name, args, stdin))
    if (parsed.ok) return parsed.value
    throw new Broken({
      expected: `\`${name}\` to print the JSON of its schema and nothing else`,
      received: parsed.problem,
      fix: `Compare with the entry on \`${name}\` in the protocol reference. Messages for people belong on stderr.`,
    })
  }
  const refuse: Trial['refuse'] = async (words, stdin, why) => {
    const { code, stdout, stderr } = await run(words, stdin)
    hold(code !== 0, {
      expected: `\`${words.join(' ')}\` to fail, because ${why}`,
      received: `exit code 0, and on stdout: ${excerpt(stdout.toString('utf8').trim())}`,
      fix: 'Check the input, and exit with a code other than 0 when it cannot be used.',
    })
    hold(stderr.trim() !== '', {
      expected: 'a message on stderr that says what is wrong',
      received: `exit code ${code} and nothing on stderr`,
      fix: 'Print the reason on stderr: it is shown to the user.',
    })
  }
  return { ...ground, executable, ...known, run, bytes, ask, refuse }
}

function encode(stdin: Stdin): string | Uint8Array {
  return typeof stdin === 'string' || stdin instanceof Uint8Array ? stdin : JSON.stringify(stdin)
}

function checkProcess(call: string, result: LimitedResult, limits: Limits): void {
  const { startError, timedOut, overflowed, signal, leftBehind } = result
  hold(startError === undefined, {
    expected: 'an executable that can be started',
    received: startError ?? '',
    fix: 'Make the file executable (chmod +x), and check its first line (`#!…`): the program named there must be on this machine.',
  })
  hold(!timedOut, {
    expected: `\`${call}\` to end within ${limits.timeoutMs / 1000} s`,
    received: 'no end; it was killed with everything it had started',
    fix: 'Do not wait for a terminal or for the network, and do not read stdin where the protocol sends none.',
  })
  hold(overflowed === undefined, {
    expected: `\`${call}\` to print at most ${limits.maxBytes} bytes`,
    received: `more than that on ${overflowed}; it was killed`,
    fix: 'Print the answer only. Nothing larger than the limit can be passed through this call.',
  })
  hold(signal === null, {
    expected: `\`${call}\` to end by itself`,
    received: `it was ended by ${signal}`,
    fix: 'It crashed. Run the same call in a shell to see where.',
  })
  hold(leftBehind === undefined, {
    expected: `the output of \`${call}\` to be closed when the plugin has ended`,
    received: 'a process started by the plugin that still held it open',
    fix: 'Give processes that go on in the background their own output: `command >/dev/null 2>&1 </dev/null &`.',
  })
}

// The session that rules write and read. Its content fits every format: one JSON object, as a line and as a document.

export const sessionId = 'conformance-session-1'
export const sessionBytes = Buffer.from('{"conformance":true}\n')
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

export async function findSessionFile(trial: Trial, session: string): Promise<{ dir: string; file: string }> {
  const { session_dir: dir } = await trial.ask('get-session-dir', { 'repo-path': trial.root })
  const { session_file: file } = await trial.ask('resolve-session-file', {
    'session-dir': dir,
    'session-id': session,
  })
  return { dir, file }
}

export async function sampleSession(
  trial: Trial,
  session = sessionId,
  bytes: Uint8Array = sessionBytes,
): Promise<MessageInput['session']> {
  return {
    session_id: session,
    agent_name: trial.info.name,
    repo_path: trial.root,
    session_ref: (await findSessionFile(trial, session)).file,
    start_time: time,
    native_data: Buffer.from(bytes).toString('base64'),
    modified_files: ['README.md'],
    new_files: [],
    deleted_files: [],
  }
}

/** Writes a session through the plugin, and says where it is. */
export async function writeSample(
  trial: Trial,
  session = sessionId,
  bytes: Uint8Array = sessionBytes,
): Promise<MessageInput['session']> {
  const written = await sampleSession(trial, session, bytes)
  await trial.bytes('write-session', {}, written)
  return written
}
