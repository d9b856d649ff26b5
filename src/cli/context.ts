// Defines what a command may use of the world outside, and fills it in from the process.

import type { CommandContext, StricliProcess } from '@stricli/core'
import { findRepo, type Repo } from '../git/repo.ts'
import type { Settings } from '../model/settings.ts'
import type { Environment } from '../std/environment.ts'
import { EntireError } from '../std/errors.ts'
import { type Clock, systemClock } from '../std/time.ts'
import { colourDepth, isTerminal, write } from './streams.ts'
import { noteWidth, wrapLines } from './wrap-help.ts'

export interface Cli extends CommandContext {
  process: StricliProcess
  cwd: string
  env: Environment
  clock: Clock
  /** Whether a person can be asked. */
  interactive: boolean
  /** Whether standard output is a terminal. */
  isTerminal: boolean
  /** Of the terminal; infinitely wide where there is none. */
  size(): { columns: number; rows: number }
  /** Absolute path by which this program can be started again. */
  program: string
  /** Prints a line of the answer. */
  out(line?: string): void
  /** Prints a line on standard error, beside the answer. */
  note(line: string): void
}

export function systemContext(): Cli {
  // Stricli leaves its exit codes here; command-line.ts turns them into those of the program.
  const streams: StricliProcess = { stdout: sink(1), stderr: sink(2), env: process.env }
  return {
    process: streams,
    cwd: process.cwd(),
    env: process.env,
    clock: systemClock,
    interactive: isInteractive(process.env),
    isTerminal: isTerminal(1),
    size: () => terminalSize(process.env),
    program: programPath(),
    out: (line = '') => streams.stdout.write(`${line}\n`),
    note: (line) =>
      streams.stderr.write(`${wrapLines(line, noteWidth(terminalSize(process.env).columns))}\n`),
  }
}

// Avoids `process.stdout`, which takes milliseconds to set up.
function sink(fd: 1 | 2): StricliProcess['stdout'] {
  return { write: (text) => write(fd, text), getColorDepth: (env = process.env) => colourDepth(fd, env) }
}

export function requireRepo(cli: Cli, command: string): Repo {
  const repo = findRepo(cli.cwd, cli.env)
  if (repo !== undefined) return repo
  throw new EntireError(
    'no-repo',
    `Not a git repository. Please run 'entire ${command}' from within a git repository.`,
  )
}

function terminalSize(env: Cli['env']): { columns: number; rows: number } {
  const asked = Number(env.COLUMNS)
  const columns = asked > 0 ? asked : process.stdout.columns
  return { columns: columns > 0 ? columns : Number.POSITIVE_INFINITY, rows: process.stdout.rows || 24 }
}

function isInteractive(env: Cli['env']): boolean {
  if (env.ENTIRE_TEST_TTY !== undefined) return env.ENTIRE_TEST_TTY === '1'
  return isTerminal(0) && isTerminal(1)
}

export function programPath(): string {
  return isCompiled() ? process.execPath : Bun.main
}

/**
 * What hooks call: a name to look up in the PATH, which survives an update, or the absolute path if the
 * settings ask for it.
 */
export function hookProgram(settings: Pick<Settings, 'absoluteHookPath'>, program: string): string {
  return settings.absoluteHookPath ? program : 'entire'
}

// A compiled program's modules live in a file system of its own. https://bun.com/docs/bundler/executables
function isCompiled(): boolean {
  return /^(\/\$bunfs|[A-Z]:[\\/]~BUN)/.test(Bun.main)
}
