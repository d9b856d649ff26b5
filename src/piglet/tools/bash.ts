// Defines the `bash` tool, which runs a shell command with limits for its time and its output.

import type { LocalTool } from '../../extensions/registry.ts'
import { runLimited } from '../../std/limited-process.ts'
import { defineLocalTool, ToolFailure } from './define-tool.ts'
import type { ToolContext } from './tool-context.ts'

/** Programs whose exit code 1 means no, not failure. */
const testPrograms = ['grep', 'egrep', 'fgrep', 'rg', 'diff', 'cmp', 'test', '[']

export function bashTool(context: ToolContext): LocalTool {
  return defineLocalTool({
    name: 'bash',
    description: 'Runs a command with sh in the project directory and returns its output.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The command.' },
        timeout: {
          type: 'integer',
          minimum: 1,
          description: 'Seconds that it may take; 30 by default, 300 at most.',
        },
      },
      required: ['command'],
    },
    async run(args, { id, signal }) {
      const command = args.text('command')
      const config = context.config()
      const longest = config.number('bash.maxTimeout', 300)
      const seconds = Math.min(args.count('timeout', config.number('bash.defaultTimeout', 30)), longest)
      const [maxStdout, maxStderr] = [
        config.number('bash.maxStdout', 100_000),
        config.number('bash.maxStderr', 50_000),
      ]
      const result = await runLimited(['sh', '-c', command], {
        cwd: context.cwd,
        env: context.env,
        timeoutMs: seconds * 1000,
        maxBytes: Math.max(maxStdout, maxStderr),
        onOverflow: 'cut',
        signal,
        onStdout: splitLines((line) => context.tail(id, line)),
      })
      signal.throwIfAborted()
      const output = [cut(result.stdout.toString('utf8'), maxStdout), labelled(cut(result.stderr, maxStderr))]
        .filter(Boolean)
        .join('\n')
      if (result.startError !== undefined) throw new ToolFailure('IO_ERROR', result.startError)
      if (result.timedOut)
        throw new ToolFailure(
          'TIMEOUT',
          `the command took more than ${seconds} s\n${output}`,
          `give a timeout of up to ${longest} s`,
        )
      if (result.code === 0 || (result.code === 1 && isTest(command)))
        return { text: output || '(no output)', details: { exitCode: result.code } }
      const end = result.signal ? `was ended by ${result.signal}` : `ended with exit code ${result.code}`
      throw new ToolFailure('EXIT_NONZERO', `the command ${end}\n${output}`)
    },
  })
}

function labelled(stderr: string): string {
  return stderr === '' ? '' : `STDERR:\n${stderr}`
}

function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  return `${bytes.subarray(0, maxBytes).toString('utf8')}\n... the rest was left out`
}

/** The last program of the command decides its exit code. */
function isTest(command: string): boolean {
  const last =
    command
      .trim()
      .split(/\|\||&&|[;|\n]/)
      .findLast((part) => part.trim() !== '') ?? ''
  const program =
    last
      .trim()
      .split(/\s+/)
      .find((word) => word !== '!' && !/^\w+=/.test(word)) ?? ''
  return testPrograms.includes(program.split('/').at(-1) ?? '')
}

const tailLength = 80

function splitLines(onLine: (line: string) => void): (piece: Buffer) => void {
  let rest = ''
  return (piece) => {
    const parts = (rest + piece.toString('utf8')).split('\n')
    rest = (parts.pop() ?? '').slice(-tailLength)
    for (const line of parts) onLine(line.slice(-tailLength))
  }
}
