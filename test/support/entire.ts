// Runs the program as a user does: a process of its own, in a repository, without a terminal.
import { join, resolve } from 'node:path'
import { builtFile } from './built-file.ts'
import type { Environment } from './environment.ts'
import { runProgram } from './process.ts'
import type { TempDir } from './repo.ts'

export interface Answer {
  code: number
  out: string
  err: string
}

const binary = builtFile('entire')
const source = resolve(import.meta.dir, '../../src/bin/entire.ts')

interface EntireOptions {
  cwd?: string
  env?: Environment
}

type Place = TempDir & { root?: string }

/** Runs the compiled program; `cwd` is relative to the repository. */
export async function entire(place: Place, args: string[], options?: EntireOptions): Promise<Answer> {
  return await runIn(place, [binary, ...args], options)
}

/** Runs the program from source, as its developers may. */
export async function entireFromSource(
  place: Place,
  args: string[],
  options?: EntireOptions,
): Promise<Answer> {
  return await runIn(place, [process.execPath, source, ...args], options)
}

async function runIn(place: Place, argv: string[], options: EntireOptions = {}): Promise<Answer> {
  const top = place.root ?? place.base
  const cwd = options.cwd === undefined ? top : join(top, options.cwd)
  const { code, stdout, stderr } = await runProgram(argv, { cwd, env: { ...place.env, ...options.env } })
  return { code, out: stdout.toString('utf8'), err: stderr }
}
