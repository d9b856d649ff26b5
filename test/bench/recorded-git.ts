// Records the git commands of an event with their input, and runs them again without Entire: the least the
// event can cost.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Environment } from '../support/environment.ts'
import type { Ground } from './ground.ts'
import { milliseconds } from './measure.ts'
import { nextTag } from './session.ts'

interface Recorded {
  args: string[]
  stdin: Buffer
}

const realGit = Bun.which('git') ?? 'git'

const wrapper = `#!/bin/sh
name="$(mktemp "$RECORDED_GIT/XXXXXX")"
printf '%s\\0' "$@" >"$name.args"
tee "$name.stdin" | '${realGit}' "$@"
code=$?
: >"$name.done"
exit $code
`

/** Runs an event with a `git` in front of the real one that writes everything down. */
export function recordGit(ground: Ground, event: (env: Environment) => void): Recorded[] {
  const bin = join(ground.base, 'recording-git')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'git'), wrapper)
  chmodSync(join(bin, 'git'), 0o755)
  const records = mkdtempSync(join(ground.base, 'recorded-'))
  event({ PATH: `${bin}${delimiter}${ground.env.PATH}`, RECORDED_GIT: records })
  const list = (kind: string) => readdirSync(records).filter((name) => name.endsWith(kind))
  // A process that only answers questions is not awaited: it exits when its input ends.
  for (let waited = 0; waited < 500 && list('.done').length < list('.args').length; waited += 1)
    Bun.sleepSync(10)
  const names = list('.args')
  return names.map((name) => ({
    args: readFileSync(join(records, name), 'utf8').split('\0').slice(0, -1),
    stdin: readFileSync(join(records, name.replace('.args', '.stdin'))),
  }))
}

/**
 * Runs recorded commands one after another and returns the time they took together. Objects must be new
 * to the repository, as it was for Entire: the tag of the recorded turn becomes another of the same length,
 * and refs move below `refs/bench/`.
 */
export function replayGit(ground: Ground, recorded: Recorded[], tag: string): number {
  const fresh = nextTag()
  const commands = recorded.map(({ args, stdin }) => ({ args, stdin: renew(stdin, tag, fresh) }))
  const env = { GIT_OPTIONAL_LOCKS: '0' }
  return commands.reduce(
    (sum, { args, stdin }) => sum + milliseconds(() => ground.run([realGit, ...args], { stdin, env })),
    0,
  )
}

function renew(stdin: Buffer, tag: string, fresh: string): Buffer {
  const text = stdin.toString('latin1').replaceAll(tag, fresh)
  return Buffer.from(
    text.replace(/^(commit|reset) refs\/heads\/entire\/(\S+)$/gm, `$1 refs/bench/${fresh}/$2`),
    'latin1',
  )
}
