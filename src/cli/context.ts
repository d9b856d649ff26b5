// What a command may know of the world: handed in once, so that commands are functions of it.
import type { CommandContext, StricliProcess } from '@stricli/core'
import { findRepo, type Repo } from '../git/repo.ts'
import { EntireError } from '../std/errors.ts'
import { type Clock, systemClock } from '../std/time.ts'
import { programPath } from './program.ts'
import { write } from './streams.ts'

export interface Cli extends CommandContext {
  process: StricliProcess
  cwd: string
  env: Record<string, string | undefined>
  clock: Clock
  /** Someone can be asked. */
  interactive: boolean
  /** Absolute path by which this program can be started again. */
  program: string
  /** A line of the answer. */
  out(line?: string): void
  /** A line beside the answer. */
  note(line: string): void
}

export function systemContext(): Cli {
  // Stricli leaves its own exit codes here; ours are decided in app.ts.
  const streams: StricliProcess = { stdout: sink(1, process.stdout), stderr: sink(2, process.stderr), env: process.env }
  return {
    process: streams,
    cwd: process.cwd(),
    env: process.env,
    clock: systemClock,
    interactive: isInteractive(process.env),
    program: programPath(),
    out: (line = '') => streams.stdout.write(`${line}\n`),
    note: (line) => streams.stderr.write(`${line}\n`),
  }
}

function sink(fd: 1 | 2, stream: NodeJS.WriteStream): StricliProcess['stdout'] {
  return { write: (text) => write(fd, text), getColorDepth: (env) => (stream.isTTY ? stream.getColorDepth(env) : 1) }
}

export function requireRepo(cli: Cli, command: string): Repo {
  const repo = findRepo(cli.cwd, cli.env)
  if (repo !== undefined) return repo
  throw new EntireError('no-repo', `Not a git repository. Please run 'entire ${command}' from within a git repository.`)
}

function isInteractive(env: Cli['env']): boolean {
  if (env.ENTIRE_TEST_TTY !== undefined) return env.ENTIRE_TEST_TTY === '1'
  return process.stdin.isTTY === true && process.stdout.isTTY === true
}
