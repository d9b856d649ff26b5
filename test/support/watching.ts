// Runs `entire watch` as a user does: a process of its own that reports events until it is stopped.
import { binary, type RecordedRepo } from './recorded-repo.ts'
import { until } from './until.ts'

export interface Watching extends AsyncDisposable {
  /** Everything that was reported so far. */
  told(): Record<string, unknown>[]
  /** Waits until this many events of this kind were reported, and returns them. */
  hears(event: string, count?: number): Promise<Record<string, unknown>[]>
  /** Ends it in good order, and returns its exit code. */
  stop(signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGKILL'): Promise<number>
  err(): string
}

/** Resolves when it watches. Turns end after a moment of silence, so that tests are quick. */
export async function startWatching(
  repo: RecordedRepo,
  args: string[] = [],
  options: { quiet?: number } = {},
): Promise<Watching> {
  const child = Bun.spawn(
    [binary, 'watch', '--json', '--quiet-seconds', String(options.quiet ?? 0.2), ...args],
    {
      cwd: repo.root,
      env: repo.env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  let [out, err] = ['', '']
  const reading = Promise.all([
    collect(child.stdout, (text) => {
      out += text
    }),
    collect(child.stderr, (text) => {
      err += text
    }),
  ])
  const told = () =>
    out
      .slice(0, out.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const watching: Watching = {
    told,
    err: () => err,
    async hears(event, count = 1) {
      await until(
        () => told().filter((line) => line.event === event).length >= count,
        () => `${count} × ${event} was not told:\n${out}${err}`,
      )
      return told().filter((line) => line.event === event)
    },
    async stop(signal = 'SIGINT') {
      child.kill(signal)
      const code = await child.exited
      await reading
      return code
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
  await Promise.race([
    watching.hears('watching'),
    child.exited.then((code) => reading.then(() => fail(`It ended (${code}): ${err}`))),
  ])
  return watching
}

function fail(problem: string): never {
  throw new Error(problem)
}

async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }))
}
