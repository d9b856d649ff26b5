// Plays the part of `entire` in tests of git hooks: records its arguments and input, and fails every time.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { installHooks } from '../../src/git/hooks/install.ts'
import type { TempRepo } from './repo.ts'

/** A message for which Entire's commit-msg hook is called; it ignores ordinary ones. */
export const loneTrailer = 'Entire-Checkpoint: 0123456789ab'

export interface Recorder {
  /** An absolute path that needs quoting. */
  command: string
  hooksDir: string
  install(): ReturnType<typeof installHooks>
  /** A hook script line that writes to the same log. */
  say(text: string): string
  /** What was logged since the last call. */
  take(): string[]
}

const script = `#!/bin/sh
name=$3
shift 3
{
  printf '%s' "$name"
  for word; do printf ' %s' "$word"; done
  printf '\\n'
  sed 's/^/< /'
} >>"$RECORDER_LOG"
echo "noise of $name" >&2
exit 7
`

export async function startRecorder(repo: TempRepo): Promise<Recorder> {
  const log = join(repo.base, 'recorder.log')
  const bin = join(repo.base, "it's here")
  mkdirSync(bin, { recursive: true })
  const command = join(bin, 'entire')
  writeFileSync(command, script, { mode: 0o755 })
  repo.env.RECORDER_LOG = log
  const hooksDir = resolve(repo.root, await repo.git('rev-parse', '--git-path', 'hooks'))
  return {
    command,
    hooksDir,
    install: () => installHooks(hooksDir, { command }),
    say: (text) => `echo "${text}" >>"$RECORDER_LOG"`,
    take() {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : []
      rmSync(log, { force: true })
      return lines
    },
  }
}
