// The only place that starts processes. Standard input is closed unless something is sent, so nothing ever waits for a terminal.

export interface ProcResult {
  code: number
  stdout: Buffer
  stderr: string
}

export interface ProcOptions {
  cwd: string
  env: Record<string, string | undefined>
  stdin?: string | Uint8Array
  /** Then it is asked to end. Nobody waits for processes that it has left behind and that hold its output. */
  timeoutMs?: number
  /** How long it may take to end when it is asked to. */
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
    return await attendLimited(child, options.timeoutMs, options.killMs ?? 2_000)
  const [stdout, stderr, code] = await Promise.all([child.stdout.bytes(), child.stderr.text(), child.exited])
  return { code, stdout: Buffer.from(stdout.buffer, stdout.byteOffset, stdout.byteLength), stderr }
}

/** How long a pipe may stay open after the process has ended: enough for bytes that are still on their way. */
const graceMs = 500

// In the group of the terminal it was started from, so that it can ask there for a password; therefore it is ended alone.
async function attendLimited(
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

export interface PipedProcess {
  readonly pid: number
  write(bytes: string | Uint8Array): void
  flush(): Promise<void>
  readonly output: ReadableStreamDefaultReader<Uint8Array>
  end(): Promise<{ code: number; stderr: string }>
}

/** Starts a process that is spoken to over its pipes while it runs. */
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
  }
}

// A process that is gone cannot be spoken to; that is no error here, because its exit code tells why.
async function unlessGone(act: () => unknown): Promise<void> {
  try {
    await act()
  } catch {}
}

/** Starts a process that outlives us and holds none of our pipes. */
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
  /** A terminal sends Ctrl-C to the whole group of processes. Where there is none, an interrupt reaches only us and is passed on. */
  passInterrupt?: boolean
}

/** Runs a program that talks to the person itself, and gives its exit code. Ctrl-C is for it, not for us; who ends us, ends it. */
export async function runAttached(argv: string[], options: AttachedOptions): Promise<number> {
  const start = () =>
    Bun.spawn(argv, { cwd: options.cwd, env: options.env, stdio: ['inherit', 'inherit', 'inherit'] })
  return await attend(start, options.passInterrupt).ended
}

export interface PagerProcess {
  write(text: string): void
  /** Ends its input, and gives its exit code. */
  end(): Promise<number>
}

/** The same for a program that shows the person what we send it. When it has had enough, the rest is dropped. */
export function startPager(argv: string[], options: ProcOptions): PagerProcess {
  const { child, ended } = attend(() =>
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

// Signals are taken before the child is there: it may have something to say before we run again.
function attend<Child extends Bun.Subprocess>(
  start: () => Child,
  passInterrupt = false,
): { child: Child; ended: Promise<number> } {
  let child: Child | undefined
  const take = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGINT' || passInterrupt) child?.kill(signal)
  }
  const leave = () => {
    for (const signal of interrupts) process.off(signal, take)
  }
  for (const signal of interrupts) process.on(signal, take)
  try {
    child = start()
  } catch (error) {
    leave()
    throw error
  }
  return { child, ended: child.exited.finally(leave) }
}

const interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
