// Runs programs for tests: the way a user's shell would, outside the layers under test.
import type { Environment } from './environment.ts'

export interface Ran {
  code: number
  stdout: Buffer
  stderr: string
}

export async function runProgram(
  argv: string[],
  options: { cwd: string; env: Environment; stdin?: string | Uint8Array },
): Promise<Ran> {
  const child = Bun.spawn(argv, {
    cwd: options.cwd,
    env: options.env,
    stdin: options.stdin === undefined ? 'ignore' : Buffer.from(options.stdin),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, code] = await Promise.all([child.stdout.bytes(), child.stderr.text(), child.exited])
  return { code, stdout: Buffer.from(stdout), stderr }
}

/** Standard output of a git command without its last newline; a failure throws git's own words. */
export async function runGit(cwd: string, env: Environment, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(['git', ...args], { cwd, env })
  if (code !== 0) throw new Error(`git ${args.join(' ')} gave ${code}: ${stderr}`)
  return stdout.toString('utf8').replace(/\n$/, '')
}
