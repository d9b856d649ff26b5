// Starts a long-running program with its standard streams and two more pipes. It leads a process group, so
// that its own children end with it. Uses only Node's own modules, because a published library uses this
// file.

import { type ChildProcess, spawn } from 'node:child_process'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import type { Environment } from './environment.ts'

export interface LongRunningChild {
  pid: number | undefined
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** Descriptor 3 of the child. */
  toChild: Writable
  /** Descriptor 4 of the child. */
  fromChild: Readable
  /** Settles when the process itself is gone, even if other processes hold its pipes. */
  exited: Promise<ChildExit>
  /** Signals the whole process group. */
  kill(signal: NodeJS.Signals): void
}

export interface ChildExit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Why it could not be started. */
  startError?: string
}

export function startLongRunningChild(
  argv: string[],
  options: { cwd: string; env: Environment },
): LongRunningChild {
  const child: ChildProcess = spawn(argv[0] ?? '', argv.slice(1), {
    cwd: options.cwd,
    env: options.env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  })
  // When the program does not exist, Bun creates no pipes.
  const pipes = Array.from({ length: 5 }, (_none, at) => child.stdio?.[at] ?? new PassThrough())
  const [stdin, stdout, stderr, toChild, fromChild] = pipes as unknown as [
    Writable,
    Readable,
    Readable,
    Writable,
    Readable,
  ]
  // A broken pipe is not reported here: the exit tells why.
  for (const stream of [stdin, stdout, stderr, toChild, fromChild]) stream.on('error', () => {})
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, startError: error.message }))
    child.once('exit', (code, signal) => {
      // Its children end with it. Later the id of the group may belong to other processes.
      killGroup(child.pid, 'SIGKILL')
      resolve({ code, signal })
    })
  })
  const kill = (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null && !killGroup(child.pid, signal))
      child.kill(signal)
  }
  return { pid: child.pid, stdin, stdout, stderr, toChild, fromChild, exited, kill }
}

/** False when there is no such group, or no process groups at all. */
function killGroup(pid: number | undefined, signal: NodeJS.Signals): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}
