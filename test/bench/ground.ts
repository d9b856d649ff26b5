// Makes a repository of a given size to measure in, in a temporary directory with an environment of its own.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { type Environment, hermeticEnv } from '../support/environment.ts'

export interface Ground {
  base: string
  root: string
  env: Environment
  /** Runs a program in the work tree; anything but success ends the bench. */
  run(argv: string[], options?: { stdin?: string | Uint8Array; env?: Environment }): string
  write(path: string, text: string): void
}

const dist = join(import.meta.dir, '../../dist')

// Removed when everything is measured: file systems are slow to give new files the place of others that were
// deleted a moment ago.
const bases: string[] = []
process.on('exit', () => {
  for (const base of bases) rmSync(base, { recursive: true, force: true, maxRetries: 3 })
})

export function makeGround(options: { files: number; enabled?: boolean }): Ground {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'entire-bench-')))
  bases.push(base)
  const root = join(base, 'repo')
  mkdirSync(root)
  const env: Environment = {
    ...hermeticEnv(base),
    PATH: `${dist}${delimiter}${process.env.PATH}`,
    ENTIRE_TEST_TTY: '1',
    GIT_AUTHOR_NAME: 'Bench',
    GIT_AUTHOR_EMAIL: 'bench@example.com',
    GIT_COMMITTER_NAME: 'Bench',
    GIT_COMMITTER_EMAIL: 'bench@example.com',
  }
  const ground: Ground = {
    base,
    root,
    env,
    run(argv, { stdin, env: more } = {}) {
      const done = Bun.spawnSync(argv, {
        cwd: root,
        env: { ...env, ...more },
        stdin: stdin === undefined ? 'ignore' : Buffer.from(stdin),
        stdout: 'pipe',
        stderr: 'pipe',
      })
      if (done.exitCode !== 0)
        throw new Error(`${argv.join(' ')} ended with ${done.exitCode}: ${done.stderr}`)
      return done.stdout.toString()
    },
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
  }
  fill(ground, options.files)
  if (options.enabled !== false) ground.run(['entire', 'enable', '--agent', 'claude-code'])
  settle(ground)
  return ground
}

function fill(ground: Ground, files: number): void {
  const lines = Array.from(
    { length: files },
    (_, at) => `M 100644 inline ${filePath(at)}\ndata <<.\nfile ${at}\n.\n`,
  )
  const head =
    'commit refs/heads/main\ncommitter Bench <bench@example.com> 1700000000 +0000\ndata <<.\nfirst\n.\n'
  ground.run(['git', 'init', '--quiet', '--initial-branch=main'])
  // As everybody has it: without, every git process that writes a ref looks for a name in the system's files.
  ground.run(['git', 'config', 'user.name', 'Bench'])
  ground.run(['git', 'config', 'user.email', 'bench@example.com'])
  // As git comes: after a commit it starts a process that checks whether to tidy up. It never finds enough to
  // do here, or it would keep running during the next measurement.
  ground.run(['git', 'config', 'maintenance.auto', 'true'])
  ground.run(['git', 'fast-import', '--quiet', '--done'], { stdin: `${head}${lines.join('')}done\n` })
  ground.run(['git', 'reset', '--quiet', '--hard'])
}

export function filePath(at: number): string {
  return `src/d${Math.floor(at / 100)}/f${at}.txt`
}

/**
 * Gives git an index whose entries are all known to be unchanged; one written in the same second as its files
 * is not.
 */
export function settle(ground: Ground): void {
  Bun.sleepSync(1_100)
  ground.run(['git', 'update-index', '--refresh', '--force-write-index'])
}
