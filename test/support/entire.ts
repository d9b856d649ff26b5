// The program as a user runs it: a process of its own, in a repository, without a terminal.
import { join, resolve } from 'node:path'
import type { Environment } from './environment.ts'
import { runProgram } from './process.ts'
import type { TempDir } from './repo.ts'

export interface Answer {
  code: number
  out: string
  err: string
}

const program = resolve(import.meta.dir, '../../src/bin/entire.ts')

export async function entire(
  place: TempDir & { root?: string },
  args: string[],
  options: { cwd?: string; env?: Environment } = {},
): Promise<Answer> {
  const cwd =
    options.cwd === undefined ? (place.root ?? place.base) : join(place.root ?? place.base, options.cwd)
  const { code, stdout, stderr } = await runProgram([process.execPath, program, ...args], {
    cwd,
    env: { ...place.env, ...options.env },
  })
  return { code, out: stdout.toString('utf8'), err: stderr }
}
