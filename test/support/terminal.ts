// Plays a person at a real pseudo-terminal, who reads the screen and presses keys.
import { stripVTControlCharacters } from 'node:util'
import type { Environment } from './environment.ts'

export const keys = {
  enter: '\r',
  up: '\x1b[A',
  down: '\x1b[B',
  space: ' ',
  interrupt: '\x03',
  escape: '\x1b',
  end: '\x04',
} as const

/**
 * Put before a command that is to be interrupted by Ctrl-C: the terminal then controls it, as it does below a
 * shell.
 */
export const underControl = ['setsid', '--ctty', '--wait'] as const

export interface Terminal extends AsyncDisposable {
  /** Everything printed so far, as bytes were sent. */
  raw(): string
  /** Everything printed so far, without control sequences. */
  text(): string
  /** Waits until the text since the last wait contains this, and returns that text. */
  sees(expected: string | RegExp): Promise<string>
  press(...pressed: string[]): Promise<void>
  exited(): Promise<number>
}

const patienceMs = 20_000

export function openTerminal(
  argv: string[],
  options: { cwd: string; env: Environment; columns?: number; rows?: number },
): Terminal {
  const decoder = new TextDecoder()
  let output = ''
  let seen = 0
  const device = new Bun.Terminal({
    cols: options.columns ?? 100,
    rows: options.rows ?? 40,
    data: (_device, bytes) => {
      output += decoder.decode(bytes, { stream: true })
    },
  })
  const child = Bun.spawn(argv, {
    cwd: options.cwd,
    env: { TERM: 'xterm-256color', ...options.env },
    terminal: device,
  })
  const fresh = () => stripVTControlCharacters(output.slice(seen))
  const matches = (expected: string | RegExp) =>
    typeof expected === 'string' ? fresh().includes(expected) : expected.test(fresh())
  return {
    raw: () => output,
    text: () => stripVTControlCharacters(output).replaceAll('\r\n', '\n'),
    async sees(expected) {
      const deadline = performance.now() + patienceMs
      while (!matches(expected)) {
        if (performance.now() > deadline)
          throw new Error(`${String(expected)} did not appear in:\n${fresh()}`)
        await Bun.sleep(5)
      }
      const text = fresh()
      seen = output.length
      return text
    },
    async press(...pressed) {
      for (const key of pressed) {
        device.write(key)
        // Prompts read one key at a time; several at once may look like one escape sequence.
        await Bun.sleep(30)
      }
    },
    async exited() {
      const code = await child.exited
      // The last output may still be on its way.
      await Bun.sleep(20)
      return code
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      device.close()
    },
  }
}
