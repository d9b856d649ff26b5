// Starts processes. Standard input is closed unless something is sent, so that no process waits for a
// terminal.

import type { Environment } from './environment.ts'

export interface ProcResult {
  code: number
  stdout: Buffer
  stderr: string
}

export interface ProcOptions {
  cwd: string
  env: Environment
  stdin?: string | Uint8Array
  /** The process is then asked to end. Children that still hold its output are not awaited. */
  timeoutMs?: number
  /** How long the process may take to end when asked to; then it is killed. */
  killMs?: number
}

export async function run(argv: string[], options: ProcOptions): Promise<ProcResult> {
  const child = Bun.spawn(argv, {
    cwd: options.cwd,
    env: options.env,
    stdin: options.stdin === undefined ? 'ignore' : Buffer.from(options.stdin),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  if (options.timeoutMs !== undefined)
    return await awaitLimited(child, options.timeoutMs, options.killMs ?? 2_000)
  const [stdout, stderr, code] = await Promise.all([child.stdout.bytes(), child.stderr.text(), child.exited])
  return { code, stdout: Buffer.from(stdout.buffer, stdout.byteOffset, stdout.byteLength), stderr }
}

/** How long a pipe may stay open after the process has ended: enough for bytes in transit. */
const graceMs = 500

// The process stays in the group of its terminal, so that it can ask for a password there; so it is signalled
// alone.
async function awaitLimited(
  child: Bun.Subprocess<Bun.SpawnOptions.Writable, 'pipe', 'pipe'>,
  timeoutMs: number,
  killMs: number,
): Promise<ProcResult> {
  const timers = [
    setTimeout(() => child.kill('SIGTERM'), timeoutMs),
    setTimeout(() => child.kill('SIGKILL'), timeoutMs + killMs),
  ]
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const code = await child.exited
  for (const timer of timers) clearTimeout(timer)
  const grace = Promise.withResolvers<void>()
  const timer = setTimeout(grace.resolve, graceMs)
  await Promise.race([Promise.all([stdout.ended, stderr.ended]), grace.promise])
  clearTimeout(timer)
  return { code, stdout: stdout.stop(), stderr: stderr.stop().toString('utf8') }
}

function collect(stream: ReadableStream<Uint8Array>): { ended: Promise<void>; stop(): Buffer } {
  const reader = stream.getReader()
  const pieces: Uint8Array[] = []
  const read = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) pieces.push(part.value)
  }
  return {
    ended: read(),
    stop: () => {
      void reader.cancel()
      return Buffer.concat(pieces)
    },
  }
}

/** A process that is written to and read from while it runs. */
export interface PipedProcess {
  readonly pid: number
  write(bytes: string | Uint8Array): void
  flush(): Promise<void>
  readonly output: ReadableStreamDefaultReader<Uint8Array>
  end(): Promise<{ code: number; stderr: string }>
  /** Ends it at once, without a chance to finish anything. */
  kill(): Promise<void>
}

export function startPiped(argv: string[], options: ProcOptions): PipedProcess {
  const child = Bun.spawn(argv, {
    cwd: options.cwd,
    env: options.env,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const stderr = child.stderr.text()
  const output = child.stdout.getReader() as ReadableStreamDefaultReader<Uint8Array>
  return {
    pid: child.pid,
    output,
    write: (bytes) => {
      unlessGone(() => child.stdin.write(bytes))
    },
    flush: () => unlessGone(() => child.stdin.flush()),
    end: async () => {
      await unlessGone(() => child.stdin.end())
      const code = await child.exited
      return { code, stderr: await stderr }
    },
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

// Writing to a process that has ended is not an error here: its exit code tells why.
async function unlessGone(act: () => unknown): Promise<void> {
  try {
    await act()
  } catch {}
}

/** Starts a process that outlives this one and holds none of its pipes. */
export async function startDetached(argv: string[], options: ProcOptions): Promise<void> {
  // Rarely needed, and slow to load.
  const { spawn } = await import('node:child_process')
  spawn(argv[0] as string, argv.slice(1), {
    cwd: options.cwd,
    env: options.env as NodeJS.ProcessEnv,
    detached: true,
    stdio: 'ignore',
  }).unref()
}

export interface AttachedOptions extends ProcOptions {
  /**
   * Passes SIGINT on, for use without a terminal. A terminal itself sends Ctrl-C to the whole process group.
   */
  passInterrupt?: boolean
}

/**
 * Runs a program that uses the terminal itself, and returns its exit code. Ctrl-C is left to the program;
 * other signals to this process are passed on.
 */
export async function runAttached(argv: string[], options: AttachedOptions): Promise<number> {
  const start = () =>
    Bun.spawn(argv, { cwd: options.cwd, env: options.env, stdio: ['inherit', 'inherit', 'inherit'] })
  return await startInForeground(start, options.passInterrupt).ended
}

export interface PagerProcess {
  write(text: string): void
  /** Ends its input and returns its exit code. */
  end(): Promise<number>
}

/** The same for a pager, which shows what it is sent. Once it has ended, further text is dropped. */
export function startPager(argv: string[], options: ProcOptions): PagerProcess {
  const { child, ended } = startInForeground(() =>
    Bun.spawn(argv, { cwd: options.cwd, env: options.env, stdio: ['pipe', 'inherit', 'inherit'] }),
  )
  return {
    write: (text) => {
      unlessGone(() => child.stdin.write(text))
      unlessGone(() => child.stdin.flush())
    },
    end: async () => {
      await unlessGone(() => child.stdin.end())
      return await ended
    },
  }
}

// Listens for signals before the child starts, because the child may act before this process runs again.
function startInForeground<Child extends Bun.Subprocess>(
  start: () => Child,
  passInterrupt = false,
): { child: Child; ended: Promise<number> } {
  let child: Child | undefined
  const forward = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGINT' || passInterrupt) child?.kill(signal)
  }
  const stopListening = () => {
    for (const signal of interrupts) process.off(signal, forward)
  }
  for (const signal of interrupts) process.on(signal, forward)
  try {
    child = start()
  } catch (error) {
    stopListening()
    throw error
  }
  return { child, ended: child.exited.finally(stopListening) }
}

const interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
