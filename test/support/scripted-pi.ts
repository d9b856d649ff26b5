// Plays Pi for an extension: a process that loads it and sends it events.

import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Environment } from './environment.ts'
import { until } from './until.ts'

export interface PiContext {
  cwd: string
  hasUI: boolean
  sessionId: string
  sessionFile?: string
  model?: { id: string }
  parentSession?: string
}

export interface Handled {
  name: string
  /** What the handlers returned. */
  returned: unknown[]
  /** What the user was shown. */
  shown: string[]
  /** What commands of this session have in their environment. */
  session?: string
}

export interface ScriptedPi extends AsyncDisposable {
  emit(name: string, event: object, ctx: PiContext): Promise<Handled>
  /** Does not wait for the handlers. */
  emitAndGoOn(name: string, event: object, ctx: PiContext): void
  /** Waits until it has handled everything; throws when it failed or wrote to its user's terminal. */
  quit(): Promise<void>
}

export function scriptedPi(extension: string, options: { cwd: string; env: Environment }): ScriptedPi {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'pi-host.ts'), extension], {
    ...options,
    env: { ...options.env, PI_CODING_AGENT: 'true' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const answers: Handled[] = []
  let hasEnded = false
  createInterface({ input: Readable.fromWeb(child.stdout as never) })
    .on('line', (line) => answers.push(JSON.parse(line) as Handled))
    .on('close', () => {
      hasEnded = true
    })
  // Answers to other events come first and are of no interest.
  const takeAnswer = (name: string) => {
    const at = answers.findIndex((answer) => answer.name === name)
    return at < 0 ? undefined : answers.splice(0, at + 1).at(-1)
  }
  const stderr = child.stderr.text()
  const send = (call: object) => {
    child.stdin.write(`${JSON.stringify(call)}\n`)
    child.stdin.flush()
  }
  return {
    async emit(name, event, ctx) {
      send({ name, event, ctx })
      let answer: Handled | undefined
      await until(
        () => {
          const isLast = hasEnded
          answer = takeAnswer(name)
          return answer !== undefined || isLast
        },
        () => `Pi did not answer ${name}`,
      )
      if (answer === undefined) throw new Error(`Pi ended during ${name}: ${await stderr}`)
      return answer
    },
    emitAndGoOn: (name, event, ctx) => send({ name, event, ctx, goOn: true }),
    async quit() {
      child.stdin.end()
      const [code, said] = [await child.exited, await stderr]
      if (code !== 0 || said !== '') throw new Error(`Pi gave ${code}: ${said}`)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
