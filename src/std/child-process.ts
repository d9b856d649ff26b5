// A program that runs beside us and is talked to all the while: over its standard streams, and over two pipes of its own. It leads a
// process group, so that whatever it starts ends with it. Only Node's own modules, because a library uses this.

import { type ChildProcess, spawn } from 'node:child_process'
import { PassThrough, type Readable, type Writable } from 'node:stream'

export interface LongRunningChild {
  pid: number | undefined
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** Descriptor 3 of the child: what we say. */
  toChild: Writable
  /** Descriptor 4 of the child: what it says. */
  fromChild: Readable
  /** Settles when the process itself is gone, whoever holds its pipes. */
  exited: Promise<ChildExit>
  /** The whole group. */
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
  options: { cwd: string; env: Record<string, string | undefined> },
): LongRunningChild {
  const child: ChildProcess = spawn(argv[0] ?? '', argv.slice(1), {
    cwd: options.cwd,
    env: options.env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  })
  // Where there is no such program, Bun makes no pipes either.
  const pipes = Array.from({ length: 5 }, (_none, at) => child.stdio?.[at] ?? new PassThrough())
  const [stdin, stdout, stderr, toChild, fromChild] = pipes as unknown as [
    Writable,
    Readable,
    Readable,
    Writable,
    Readable,
  ]
  // A pipe whose other end is gone is no failure of ours: the exit tells why.
  for (const stream of [stdin, stdout, stderr, toChild, fromChild]) stream.on('error', () => {})
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, startError: error.message }))
    child.once('exit', (code, signal) => {
      // What it started goes with it; later the number of the group may be somebody else's.
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

/** False where there is no such group, or where there are none at all. */
function killGroup(pid: number | undefined, signal: NodeJS.Signals): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}
