// Runs an untrusted program with a time limit and a size limit; processes it leaves behind cannot delay the
// caller. Uses only Node's own modules, because the conformance kit also runs without Bun.

import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Environment } from './environment.ts'
import { messageOf } from './errors.ts'

export interface LimitedOptions {
  cwd: string
  env: Environment
  stdin?: string | Uint8Array
  timeoutMs: number
  /** The limit for standard output and for standard error, each. */
  maxBytes: number
  /** A program that writes too much is killed, or the rest of its output is cut off. */
  onOverflow?: 'kill' | 'cut'
  /** Kills the program when aborted. */
  signal?: AbortSignal
  /** Receives standard output while it is written. */
  onStdout?(piece: Buffer): void
}

export interface LimitedResult {
  /** Null when a signal ended the program, or when it never ran. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: Buffer
  stderr: string
  timedOut: boolean
  /** The stream that exceeded the limit. Its output up to the limit is kept. */
  overflowed?: 'stdout' | 'stderr'
  /** A child of the program still held its output after it had ended. */
  leftBehind?: true
  /** Why the program could not be started. */
  startError?: string
}

/** How long a stream may stay open after the program has ended: enough for bytes in transit. */
const graceMs = 200

export async function runLimited(argv: string[], options: LimitedOptions): Promise<LimitedResult> {
  const result: LimitedResult = {
    code: null,
    signal: null,
    stdout: Buffer.alloc(0),
    stderr: '',
    timedOut: false,
  }
  try {
    return await superviseLimited(start(argv, options), options, result)
  } catch (error) {
    // The arguments are too long or invalid.
    return { ...result, startError: messageOf(error) }
  }
}

function superviseLimited(
  child: ChildProcess,
  options: LimitedOptions,
  result: LimitedResult,
): Promise<LimitedResult> {
  return new Promise((resolve) => {
    const stopWatching = watch(
      child,
      () => {
        result.timedOut = true
      },
      options.timeoutMs,
    )
    const abort = () => killGroup(child)
    options.signal?.addEventListener('abort', abort, { once: true })
    if (options.signal?.aborted) abort()
    if (options.onStdout) child.stdout?.on('data', options.onStdout)
    const overflow = (stream: 'stdout' | 'stderr') => () => {
      result.overflowed ??= stream
      if (options.onOverflow !== 'cut') killGroup(child)
    }
    const stdout = collect(child.stdout, options.maxBytes, overflow('stdout'))
    const stderr = collect(child.stderr, options.maxBytes, overflow('stderr'))
    let grace: NodeJS.Timeout | undefined
    const finish = () => {
      stopWatching()
      options.signal?.removeEventListener('abort', abort)
      clearTimeout(grace)
      resolve({ ...result, stdout: stdout(), stderr: stderr().toString('utf8') })
    }
    child.once('error', (error) => {
      result.startError = error.message
      finish()
    })
    child.once('exit', (code, signal) => {
      Object.assign(result, { code, signal })
      // If a child of the program still holds a pipe, its output is ignored.
      grace = setTimeout(() => {
        result.leftBehind = true
        killGroup(child)
        child.stdout?.destroy()
        child.stderr?.destroy()
        finish()
      }, graceMs)
    })
    child.once('close', finish)
    // A program that does not read its input closes the pipe; its exit code tells the rest.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.stdin ?? '')
  })
}

function start(argv: string[], options: LimitedOptions): ChildProcess {
  // Detached: a process group that can be killed as one, and no terminal to ask on.
  return spawn(argv[0] ?? '', argv.slice(1), {
    cwd: options.cwd,
    env: options.env as NodeJS.ProcessEnv,
    detached: true,
    stdio: 'pipe',
    windowsHide: true,
  })
}

/**
 * Kills the group when its time is up, and when this process ends. Returns a function that stops watching.
 */
function watch(child: ChildProcess, late: () => void, timeoutMs: number): () => void {
  const timer = setTimeout(() => {
    late()
    killGroup(child)
  }, timeoutMs)
  const end = () => killGroup(child)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, end)
  process.on('exit', end)
  return () => {
    clearTimeout(timer)
    for (const signal of signals) process.off(signal, end)
    process.off('exit', end)
  }
}

function collect(stream: Readable | null, maxBytes: number, exceeded: () => void): () => Buffer {
  const pieces: Buffer[] = []
  let room = maxBytes
  stream?.on('error', () => {})
  stream?.on('data', (piece: Buffer) => {
    if (piece.length > room) exceeded()
    if (room > 0) pieces.push(piece.subarray(0, room))
    room = Math.max(0, room - piece.length)
  })
  return () => Buffer.concat(pieces)
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The process is gone.
  }
}
